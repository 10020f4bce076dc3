import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { type ChangeOrigin, GitError, readHistory } from "./history.ts";

const file = "notes/1.md";

let template: string;
let root: string;

function git(...args: readonly string[]): string {
  const settings = ["user.name=test", "user.email=test@example.com", "commit.gpgsign=false", "core.fsync=none"];
  return execFileSync("git", [...settings.flatMap((each) => ["-c", each]), ...args], {
    cwd: root,
    stdio: "pipe",
    encoding: "utf8",
  }).trim();
}

const commit = (message = "change") => git("commit", "--quiet", "--allow-empty", `--message=${message}`);

function commitOnMain(tag: string): void {
  git("checkout", "--quiet", "main");
  commit(tag);
  git("tag", tag);
}

const readBase = async (origin?: ChangeOrigin) => (await readHistory(root, origin)).base;

beforeAll(() => {
  template = mkdtempSync(join(tmpdir(), "history-"));
  root = template;
  git("init", "--quiet", "--template=", "--initial-branch=main");
  commit();
  mkdirSync(dirname(join(root, file)));
  writeFileSync(join(root, file), "$Id$ 1.0.0");
  git("add", ".");
  commit();
  git("tag", "v1.0.0");
  git("checkout", "--quiet", "-b", "change");
  commit();
});
afterAll(() => rmSync(template, { recursive: true }));
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "history-"));
  cpSync(template, root, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

it.each<[what: string, prepare: () => void, commit: string, tag: string, origin?: ChangeOrigin]>([
  [
    "the merge base on a branch, even if main went on",
    () => [commitOnMain("v1.1.0"), git("checkout", "--quiet", "change")],
    "v1.0.0",
    "v1.0.0",
  ],
  ["the parent on main", () => [commitOnMain("v1.1.0"), commit(), commit()], "HEAD^1", "v1.1.0"],
  [
    "the commit of main that is edited",
    () => [git("checkout", "--quiet", "main"), writeFileSync(join(root, file), "")],
    "HEAD",
    "v1.0.0",
  ],
  [
    "the commit that was pushed onto, if several were pushed together",
    () => [commitOnMain("v1.1.0"), commit()],
    "v1.0.0",
    "v1.0.0",
    { pushedOnto: "v1.0.0" },
  ],
  [
    "the merge base with a branch of backports",
    () => {
      git("branch", "release/1.0", "main");
      commitOnMain("v1.1.0");
      git("checkout", "--quiet", "release/1.0");
      commit("fix");
      git("tag", "v1.0.1");
      git("checkout", "--quiet", "-b", "fix");
      commit();
    },
    "release/1.0",
    "v1.0.1",
  ],
  [
    "the merge base with the target of a pull request, not a branch of the change with the name of one of backports",
    () => [commit(), git("branch", "release/9.9"), commit()],
    "main",
    "v1.0.0",
    { target: "main" },
  ],
  ["a tag before it, not its own", () => git("tag", "v9.0.0"), "main", "v1.0.0"],
  ["a tag of a release, not one of another form", () => git("tag", "v2.0.0-next.1", "main"), "main", "v1.0.0"],
  [
    "the branch of a remote with any name",
    () => {
      git("remote", "add", "fork", "https://example.com/fork.git");
      git("remote", "add", "upstream", "https://example.com/upstream.git");
      git("update-ref", "refs/remotes/upstream/main", "main");
      git("branch", "--delete", "--force", "main");
    },
    "upstream/main",
    "v1.0.0",
  ],
])("a change starts from %s", async (_what, prepare, revision, tag, origin) => {
  prepare();
  expect(await readBase(origin)).toMatchObject({ commit: git("rev-parse", revision), tag });
});

it("nothing is before the first commit", async () => {
  git("checkout", "--quiet", "-B", "main", "main^");
  expect(await readHistory(root)).toEqual({ base: undefined, why: "first" });
});

it("files are read as they were, without the attributes and files of the changed tree", async () => {
  const base = await readBase();
  writeFileSync(join(root, ".gitattributes"), "* export-ignore ident\n");
  rmSync(join(root, file));
  expect(String(await base?.read("v1.0.0", file))).toBe("$Id$ 1.0.0");
  expect(await base?.list("notes")).toEqual([file]);
  expect(await base?.read("v1.0.0", "notes/2.md")).toBeUndefined();
});

it.each([
  ["a commit that was pushed onto", "0123456789".repeat(4), "origin 0123456789"],
  ["main", undefined, "origin +main:refs/remotes/origin/main"],
])("names the command that fetches %s", async (_what, pushedOnto, command) => {
  git("remote", "add", "origin", "https://example.com/origin.git");
  const fetch = expect.stringContaining(`git fetch --tags ${command}`);
  expect(await readHistory(root, { pushedOnto })).toEqual({ base: undefined, why: "missing", fetch });
});

it("main is missing without a branch and a remote", async () => {
  git("branch", "--delete", "--force", "main");
  expect(await readHistory(root)).toMatchObject({ why: "missing" });
});

it.each([
  [
    "the merge base is missing",
    ["--depth=1"],
    { why: "missing", fetch: expect.stringContaining("--tags --unshallow origin +main:") },
  ],
  ["the tag is not there", ["--depth=2", "--no-single-branch"], { isShallow: true, base: { tag: undefined } }],
])("%s in a shallow clone", async (_what, depth, history) => {
  commit();
  git("branch", "--force", "main");
  commit();
  const origin = root;
  onTestFinished(() => rmSync(origin, { recursive: true }));
  root = mkdtempSync(join(tmpdir(), "history-clone-"));
  git("clone", "--quiet", ...depth, pathToFileURL(origin).href, ".");
  expect(await readHistory(root)).toMatchObject(history);
});

it("says that there is no repository, and whether this is a pull request", async () => {
  rmSync(join(root, ".git"), { recursive: true });
  expect(await readHistory(root)).toEqual({ base: undefined, why: "none", isPullRequest: false });
  expect(await readHistory(root, { target: "main" })).toMatchObject({ why: "none", isPullRequest: true });
});

it.each<[what: string, prepare: () => void, command: string, fix: string]>([
  ["no git", () => vi.stubEnv("PATH", ""), "git rev-parse", "install git"],
  [
    "a folder of another owner",
    () => vi.stubEnv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1"),
    "git rev-parse",
    "git config --global --add safe.directory",
  ],
  [
    "no commit",
    () => [rmSync(join(root, ".git"), { recursive: true }), git("init", "--quiet")],
    "git rev-parse HEAD",
    "make the first commit",
  ],
  [
    "a worktree of a repository that was moved",
    () => {
      rmSync(join(root, ".git"), { recursive: true });
      writeFileSync(join(root, ".git"), "gitdir: /moved/.git/worktrees/change\n");
    },
    "git rev-parse",
    "git worktree repair",
  ],
  ["a damaged repository", () => rmSync(join(root, ".git/HEAD")), "git rev-parse HEAD", "run this command"],
  [
    "a file that git cannot read",
    () => {
      const blob = git("rev-parse", `v1.0.0:${file}`);
      rmSync(join(root, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    },
    "git cat-file blob",
    "run this command",
  ],
])("%s is an error that names the command and what to do", async (_what, prepare, command, fix) => {
  prepare();
  onTestFinished(() => void vi.unstubAllEnvs());
  const error = await readBase()
    .then((base) => base?.read("v1.0.0", file))
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(GitError);
  expect(String(error)).toMatch(
    new RegExp(`\`${command}.*\` failed in .*: .+\nNothing was compared.\nFix: .*${fix}`, "s"),
  );
});
