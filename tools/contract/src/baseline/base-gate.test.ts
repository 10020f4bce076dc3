import { execFile, execFileSync } from "node:child_process";
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { releaseContract } from "../commands.ts";
import { type ContractCopy, copyContract, workspaceRoot } from "../testing/contract-copy.ts";

const gate = "tools/contract/src";
const item = "proto/platform/v1/item.proto";
const rules = `${gate}/compare/change-rules.ts`;

let copy: ContractCopy;

function git(...args: readonly string[]): void {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...identity, "-c", "core.fsync=none", ...args], { cwd: copy.root, stdio: "pipe" });
}

/** Runs the gate of the changed tree, as `pnpm contract` does. */
function contract() {
  const { PATH } = process.env;
  const args = [join(copy.root, gate, "main.ts"), "--root", copy.root, "--json"];
  return new Promise<{ rule: string; message: string }[]>((resolve, reject) => {
    execFile(process.execPath, args, { env: { PATH } }, (_error, stdout, stderr) => {
      if (stdout === "") reject(new Error(stderr));
      else resolve(JSON.parse(stdout).findings);
    });
  });
}

beforeAll(async () => {
  copy = copyContract();
  cpSync(join(workspaceRoot, gate), join(copy.root, gate), { recursive: true });
  symlinkSync(join(workspaceRoot, "tools/contract/node_modules"), join(copy.root, "tools/contract/node_modules"));
  expect(await releaseContract({ root: copy.root, today: "2027-01-01" }, true)).toEqual([]);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "proto", "tools/contract/src", "tools/contract/released", "packages", "buf.yaml");
  git("commit", "--quiet", "--message=base");
  git("checkout", "--quiet", "-b", "change");
  git("commit", "--quiet", "--allow-empty", "--message=change");
});
afterAll(() => copy[Symbol.dispose]());

describe("the gate of the merge base judges the changed tree", () => {
  it("accepts a change of the gate alone", async () => {
    copy.edit(rules, /"Callers may use a new package\."/, '"Callers may use one more package."');
    expect(await contract()).toEqual([]);
  });

  it("rejects a change together with the rule that would accept it", async () => {
    copy.edit(rules, /"field-renumbered": breaking\(\n.*\n.*\n {2}\)/, '"field-renumbered": additive("Nothing")');
    copy.edit(rules, /kind: "additive",\n {2}effect/, 'kind: "documentation",\n  effect');
    copy.edit(`${gate}/baseline/breaking.ts`, /use: \["FILE"\]/, 'use: ["WIRE"]');
    copy.edit(`${gate}/baseline/breaking.ts`, /except: \[/, 'ignore: ["platform"], except: [');
    copy.edit(item, /bool deleted = 10/, "bool deleted = 11");
    const findings = await contract();
    expect(findings.map(({ rule }) => rule)).toEqual(["field-renumbered", "field-renumbered", "buf-breaking"]);
    expect(findings.at(-1)?.message).toContain("a change is judged by the rules from before it");
  });

  it("rejects that change even if the changed gate checks nothing", async () => {
    copy.edit(
      `${gate}/commands.ts`,
      /const own = await judge\(workspace, history\);/,
      "const own: readonly Finding[] = [];",
    );
    expect((await contract()).map(({ rule }) => rule)).toEqual(["field-renumbered", "buf-breaking"]);
  });
});
