import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { workspaceRoot } from "../testing/contract-copy.ts";
import { fixedPartsFile } from "./fixed-parts.ts";
import { guard } from "./guard.ts";
import { readHistory } from "./history.ts";
import { ownedPaths } from "./switches.ts";

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

const findingsIn = async (folder: string, env = {}, pushedOnto?: string) =>
  guard(folder, await readHistory(folder, pushedOnto), env);
const rules = async () => (await findingsIn(root)).map(({ rule }) => rule);
const verdicts = async (env = {}) => (await findingsIn(root, env)).map(({ rule, verdict }) => [rule, verdict]);

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
    expect((await findingsIn(root)).map(({ rule }) => rule)).toEqual(rules);
    git("add", ".");
    git("commit", "--quiet", "--allow-empty", "--message=change");
    expect((await findingsIn(root)).map(({ rule }) => rule)).toEqual(rules);
  });

  it("a draft may change, and become the first release", async () => {
    write(null, "0.0.0", "a");
    commit();
    write(null, "0.0.0", "b");
    expect(await verdicts()).toEqual([]);
    write("1.0.0", "1.0.0", "b");
    expect(await verdicts()).toEqual([]);
  });

  it("the released contract cannot be deleted", async () => {
    write("1.0.0", "1.0.0", "a");
    commit();
    rmSync(join(root, "tools/contract/released"), { recursive: true });
    expect(await rules()).toEqual(["released-changed"]);
  });
});

describe("the commit that a change starts from", () => {
  beforeEach(() => write("1.0.0", "1.0.0", "a"));

  it("is the merge base on a branch, even if main went on", async () => {
    commit();
    git("checkout", "--quiet", "main");
    write("1.1.0", "1.1.0", "b");
    git("commit", "--quiet", "--all", "--message=release");
    git("checkout", "--quiet", "change");
    expect(await rules()).toEqual([]);
  });

  it("is the parent on main", async () => {
    commit();
    git("checkout", "--quiet", "main");
    write("1.0.0", "1.0.0", "b");
    git("commit", "--quiet", "--all", "--message=change");
    git("update-ref", "refs/remotes/origin/main", "HEAD");
    git("remote", "add", "origin", "https://example.com/origin.git");
    expect(await rules()).toEqual(["released-changed"]);
  });

  it("is the commit that was pushed onto, if several commits were pushed to main together", async () => {
    commit();
    git("checkout", "--quiet", "main");
    const before = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
    write("1.0.0", "1.0.0", "b");
    git("commit", "--quiet", "--all", "--message=change");
    git("commit", "--quiet", "--allow-empty", "--message=last");
    git("update-ref", "refs/remotes/origin/main", "HEAD");
    expect((await findingsIn(root, {}, before)).map(({ rule }) => rule)).toEqual(["released-changed"]);
  });

  it("must be there, if it was pushed onto: the finding names the command that fetches it", async () => {
    commit();
    const unknown = "0123456789".repeat(4);
    const [found] = await findingsIn(root, {}, unknown);
    expect(found).toMatchObject({ rule: "merge-base", verdict: "unjudged" });
    expect(found?.message).toContain(`Fix: git fetch origin ${unknown}`);
  });

  it("does not exist for the first commit", async () => {
    commit();
    expect(await rules()).toEqual([]);
  });

  it("must have been fetched: the finding names the command", async () => {
    commit();
    git("remote", "add", "origin", "https://example.com/origin.git");
    git("update-ref", "-d", "refs/remotes/origin/main");
    const [found] = await findingsIn(root);
    expect(found).toMatchObject({ rule: "merge-base", verdict: "unjudged" });
    expect(found?.message).toContain("Fix: git fetch origin +main:refs/remotes/origin/main");
  });

  it("is missing in a shallow clone, and the command fetches it", async () => {
    commit();
    git("commit", "--quiet", "--allow-empty", "--message=second");
    const clone = mkdtempSync(join(tmpdir(), "guard-clone-"));
    try {
      execFileSync("git", ["clone", "--quiet", "--depth=1", pathToFileURL(root).href, clone], { stdio: "pipe" });
      const [found] = await findingsIn(clone);
      expect(found).toMatchObject({ rule: "merge-base", verdict: "unjudged" });
      expect(found?.message).toContain("Fix: git fetch --unshallow origin +main:refs/remotes/origin/main");
    } finally {
      rmSync(clone, { recursive: true });
    }
  });

  it("is not looked for where there is no repository, except in a pull request", async () => {
    expect(await verdicts()).toEqual([["merge-base", "noted"]]);
    expect(await verdicts({ GITHUB_BASE_REF: "main" })).toEqual([["merge-base", "unjudged"]]);
  });
});

describe("no change can switch the gate off", () => {
  const files = [
    "package.json",
    "turbo.json",
    "pnpm-workspace.yaml",
    ".npmrc",
    "buf.yaml",
    ".ci/run",
    ".github/workflows/check.yml",
    ".github/CODEOWNERS",
  ];
  beforeEach(() => {
    write("1.0.0", "1.0.0", "a");
    for (const file of [...files, fixedPartsFile]) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      cpSync(join(workspaceRoot, file), join(root, file));
    }
    commit();
  });

  type Row = [what: string, file: string, place: string | RegExp, replacement: string, sentence: string];

  const edit = (file: string, place: string | RegExp, replacement: string) => {
    const before = readFileSync(join(root, file), "utf8");
    const after = before.replace(place, replacement);
    expect(after).not.toBe(before);
    writeFileSync(join(root, file), after);
  };

  const workflow = ".github/workflows/check.yml";
  const gateJob = "  contract:\n    runs-on: ubuntu-24.04\n";
  const judge = 'main.ts judge --root "$GITHUB_WORKSPACE"';

  it.each<Row>([
    ["another script", "package.json", /"contract": "[^"]*"/, '"contract": "true"', "The script `contract`"],
    [
      "an ignored result",
      "package.json",
      'contract/src/main.ts"',
      'contract/src/main.ts || true"',
      "The script `contract`",
    ],
    ["a script before the gate", "package.json", '"format":', '"precontract": "true", "format":', "script `contract`"],
    ["gates without it", "package.json", "types lint contract", "types lint", "The script `gates`"],
    ["gates that pass it as an argument", "package.json", "lint contract", "lint -- contract", "The script `gates`"],
    ["gates that end before it", "package.json", "; TURBO", "; exit 0; TURBO", "The script `gates`"],
    ["a check without gates", "package.json", "pnpm --silent gates; ", "", "The script `check`"],
    ["a release without it", "package.json", "pnpm --silent contract release && ", "", "The script `release:version`"],
    ["a check script without it", ".ci/run", "pnpm --silent gates", "pnpm --silent lint", "The check script"],
    ["a check script that ends before it", ".ci/run", "rm -rf", "exit 0\nrm -rf", "The check script"],
    ["a cached task", "turbo.json", '"//#contract": { "cache": false', '"//#contract": { "cache": true', "The task"],
    ["a shell that runs nothing", "pnpm-workspace.yaml", /^/, '"script\\x53hell": "true"\n', "The shell that pnpm"],
    ["a shell of npm that runs nothing", ".npmrc", "script-shell=bash", "script-shell=true", "What npm uses"],
    ["a workflow without it", workflow, "pnpm@12 check", "pnpm@12 lint", "The job `check`"],
    ["a workflow without the gate of the merge base", workflow, "main.ts judge", "main.ts lint", "The job `contract`"],
    ["a job that ignores its result", workflow, judge, `${judge} || true`, "The job `contract`"],
    ["a job that may fail", workflow, gateJob, `${gateJob}    continue-on-error: true\n`, "The job `contract`"],
    ["a job that never runs", workflow, gateJob, `${gateJob}    if: false\n`, "The job `contract`"],
    ["a workflow for main alone", workflow, "  pull_request:\n", "", "The workflow `check`"],
    ["some files alone", workflow, "pull_request:\n", "pull_request:\n    paths: [docs]\n", "The workflow `check`"],
    ["another shell", workflow, "jobs:\n", "defaults: { run: { shell: true } }\njobs:\n", "The workflow `check`"],
    ["fewer rules of buf", "buf.yaml", "[STANDARD, COMMENTS, UNARY_RPC]", "[STANDARD]", "buf.yaml checks less"],
    [
      "an ignored folder",
      "buf.yaml",
      "ignore: [proto/buf]",
      "ignore: [proto/buf, proto/platform]",
      "buf.yaml checks less",
    ],
    ["an ignored rule", "buf.yaml", "lint:\n", "lint:\n  except: [COMMENTS]\n", "buf.yaml checks less"],
    [
      "comments that ignore rules",
      "buf.yaml",
      "comment_ignores: true",
      "comment_ignores: false",
      "buf.yaml checks less",
    ],
    ...ownedPaths.map((path) => {
      const line = `${path} @platform/maintainers\n`;
      const row: Row = [`${path} without an owner`, ".github/CODEOWNERS", line, "", `Nobody owns ${path}`];
      return row;
    }),
  ])("%s is refused", async (_what, file, place, replacement, sentence) => {
    edit(file, place, replacement);
    const findings = await findingsIn(root);
    expect(findings).toMatchObject([{ rule: "gate-switched-off", verdict: "fails", place: { file } }]);
    expect(findings[0]?.message).toContain(sentence);
    expect(findings[0]?.message).toMatch(/Fix: git checkout [0-9a-f]{10} -- /);
    expect(findings[0]?.message).toContain("Its owners in .github/CODEOWNERS review it");
  });

  it.each(files)("%s that is missing or unreadable is refused", async (file) => {
    rmSync(join(root, file));
    expect(new Set(await rules())).toEqual(new Set(["gate-switched-off"]));
    writeFileSync(join(root, file), "{");
    expect(new Set(await rules())).toEqual(new Set(["gate-switched-off"]));
  });

  it.each(["/proto/", "/proto/platform/", "/tools/", "proto/", "*.proto", "**"])(
    "a later line that takes the owner of %s away is refused",
    async (pattern) => {
      appendFileSync(join(root, ".github/CODEOWNERS"), `${pattern}\n`);
      expect(new Set(await rules())).toEqual(new Set(["gate-switched-off"]));
    },
  );

  it.each([".gitattributes", "tools/contract/released/.gitattributes"])("%s is refused", async (file) => {
    writeFileSync(join(root, file), "*.binpb -diff\n");
    expect(await rules()).toContain("gate-switched-off");
  });

  it("a job may be changed by the change that first brings the rule, which its reviewers accept", async () => {
    git("checkout", "--quiet", "main");
    git("rm", "--quiet", fixedPartsFile);
    git("commit", "--quiet", "--message=before");
    git("update-ref", "refs/remotes/origin/main", "HEAD");
    git("checkout", "--quiet", "-B", "change");
    edit(workflow, judge, `${judge} --json`);
    expect(await rules()).toEqual([]);
  });

  it("other edits of these files pass", async () => {
    edit("package.json", '"format":', '"tidy": "true",\n    "format":');
    edit("package.json", "types lint contract", "types lint contract more");
    edit("buf.yaml", "UNARY_RPC]", "UNARY_RPC, PACKAGE_NO_IMPORT_CYCLE]");
    edit("buf.yaml", "# A third-party file", "# Another file");
    edit(".github/CODEOWNERS", "# What runs the gate.", "/docs/ @platform/writers\n/examples/");
    edit(workflow, "pnpm@12 release:rehearse", "pnpm@12 release:rehearse --quiet");
    edit(workflow, /actions\/checkout@[0-9a-f]{40}/, `actions/checkout@${"a".repeat(40)}`);
    edit("pnpm-workspace.yaml", /^/, "# Its packages.\n");
    edit(".ci/run", "# Its tests fail", "# Many tests fail");
    expect(await rules()).toEqual([]);
  });
});
