import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { guard } from "./guard.ts";

let root: string;

function git(...args: string[]): void {
  const identity = [
    "-c",
    "user.name=test",
    "-c",
    "user.email=test@example.com",
    "-c",
    "commit.gpgsign=false",
    "-c",
    "core.fsync=none",
  ];
  execFileSync("git", [...identity, ...args], { cwd: root, stdio: "pipe" });
}

/** Writes a workspace with a released version, the version of its package, and a released image. */
function write(released: string | null, version: string, image: string): void {
  for (const folder of ["tools/contract/released", "packages/types"])
    mkdirSync(join(root, folder), { recursive: true });
  const release = { version: released, digest: "" };
  writeFileSync(join(root, "tools/contract/released/release.json"), JSON.stringify(release));
  writeFileSync(join(root, "tools/contract/released/contract.binpb"), image);
  writeFileSync(join(root, "packages/types/package.json"), JSON.stringify({ version }));
}

function commit(): void {
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "--message=base");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  git("checkout", "--quiet", "-b", "change");
}

const verdicts = async (env = {}) => (await guard(root, env)).map(({ rule, verdict }) => [rule, verdict]);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "guard-"));
});
afterEach(() => rmSync(root, { recursive: true }));

describe("the released contract changes only together with the version, compared with the merge base", () => {
  it.each<[what: string, released: string | null, version: string, image: string, rules: string[]]>([
    ["nothing changed", "1.0.0", "1.0.0", "a", []],
    ["a version is released", "1.1.0", "1.1.0", "b", []],
    ["the image changed alone", "1.0.0", "1.0.0", "b", ["released-changed"]],
    ["only the released version changed", "1.1.0", "1.0.0", "a", ["released-changed"]],
    ["the release was made a draft again", null, "1.0.0", "b", ["released-changed"]],
    ["the version changed, the released one did not", "1.0.0", "1.1.0", "b", ["released-changed"]],
  ])("%s", async (_what, released, version, image, rules) => {
    write("1.0.0", "1.0.0", "a");
    commit();
    write(released, version, image);
    expect((await guard(root, {})).map(({ rule }) => rule)).toEqual(rules);
    git("add", ".");
    git("commit", "--quiet", "--allow-empty", "--message=change");
    expect((await guard(root, {})).map(({ rule }) => rule)).toEqual(rules);
  });

  it("a draft may change, and become the first release", async () => {
    write(null, "0.0.0", "a");
    commit();
    write(null, "0.0.0", "b");
    expect(await verdicts()).toEqual([]);
    write("1.0.0", "1.0.0", "b");
    expect(await verdicts()).toEqual([]);
  });

  it("notes a missing merge base, and fails in a pull request", async () => {
    write("1.0.0", "1.0.0", "a");
    expect(await verdicts()).toEqual([["merge-base", "noted"]]);
    expect(await verdicts({ GITHUB_BASE_REF: "main" })).toEqual([["merge-base", "unjudged"]]);
  });
});
