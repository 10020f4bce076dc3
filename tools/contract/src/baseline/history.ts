import { type ExecFileException, execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A command of git that failed. The message names the command, what git says, and what to do. */
export class GitError extends Error {
  /** What git says, in English. Nothing: it has answered no, because something does not exist. */
  readonly said: string;

  constructor(root: string, args: readonly string[], error: ExecFileException) {
    const said = String(error.stderr ?? "").trim() || (error.code === 1 ? "" : error.message);
    const fix =
      remedies.find(([pattern]) => pattern.test(said))?.[1](root) ??
      "run this command there, and correct what it reports.";
    super(`\`git ${args.join(" ")}\` failed in ${root}: ${said}\nNothing was compared.\nFix: ${fix}`);
    this.said = said;
  }
}

const remedies: readonly (readonly [said: RegExp, fix: (root: string) => string])[] = [
  [/ENOENT/, () => "install git, and add it to PATH."],
  [
    /dubious ownership/,
    (root) => `if you trust the owner of the folder: git config --global --add safe.directory '${root}'`,
  ],
  [/ambiguous argument 'HEAD'/, () => "make the first commit, or check out a branch."],
  [/not a git repository: .*worktrees/, () => "in the repository of this worktree: git worktree repair"],
];

type Git = (...args: readonly string[]) => Promise<Buffer>;

/** A commit from before the change, and the newest release that it contains. */
export interface Base {
  /** What was pushed onto, or else the merge base with main or a branch of backports, or else, on that branch, the parent. */
  readonly commit: string;
  /** The newest release tag in the history of `commit`, such as `v1.2.0`. Undefined: there is none. */
  readonly tag: string | undefined;
  /** The name of the remote that releases come from. */
  readonly remote: string;
  /** Returns the bytes of a file at a commit or tag. Undefined: it does not exist there. */
  read(revision: string, file: string): Promise<Buffer | undefined>;
  /** Returns the paths of the files in a folder, as they are at `commit`. */
  list(folder: string): Promise<readonly string[]>;
}

/** `first`: there is nothing before this commit. `missing`: it was not fetched. `none`: this is no git repository. */
export type History =
  | { readonly base: Base; readonly isShallow: boolean }
  | { readonly base: undefined; readonly why: "first" }
  | { readonly base: undefined; readonly why: "none"; readonly isPullRequest: boolean }
  | { readonly base: undefined; readonly why: "missing"; readonly fetch: string };

export interface ChangeOrigin {
  /** The commit of main that several commits were pushed onto together. All of them are the change, not only the last. */
  readonly pushedOnto?: string | undefined;
  /** The branch that a pull request goes to. Default: `main` or a branch of backports, such as `release/1.2`. */
  readonly target?: string | undefined;
}

/** Finds the commit that the change under `root` starts from. @throws GitError */
export async function readHistory(root: string, { pushedOnto, target }: ChangeOrigin = {}): Promise<History> {
  const git: Git = (...args) => {
    const env = { ...process.env, LC_ALL: "C" };
    const output = run("git", args, { cwd: root, encoding: "buffer", maxBuffer: 1 << 28, env });
    return output.then(
      ({ stdout }) => stdout,
      (error: ExecFileException) => Promise.reject(new GitError(root, args, error)),
    );
  };
  const asked = async (...args: readonly string[]) =>
    (await unless(git(...args), ({ said }) => said === ""))?.toString().trim();
  const known = (revision: string) => asked("rev-parse", "--quiet", "--verify", `${revision}^{commit}`);
  const revisions = git("rev-parse", "HEAD", "--is-shallow-repository");
  // Git says the same of a repository that is damaged, and names one that it does not find, such as that of a worktree.
  const isNone = ({ said }: GitError) =>
    said.includes("not a git repository (or any") && !existsSync(join(root, ".git"));
  const found = await unless(linesOf(revisions), isNone);
  if (found === undefined) return { base: undefined, why: "none", isPullRequest: target !== undefined };
  const [head, shallow] = found;
  const isShallow = shallow === "true";
  const names = target === undefined ? ["main", "release/"] : [target];
  const [main = ""] = names;
  const [remotes, fetched] = await Promise.all([
    linesOf(git("remote")),
    linesOf(git("for-each-ref", "--format=%(refname)", "refs/remotes")),
  ]);
  const hasMain = (name: string) => fetched.includes(`refs/remotes/${name}/${main}`);
  const remote = remotes.find((name) => name === "origin") ?? remotes.find(hasMain) ?? remotes[0];
  const fetch = `git fetch --tags ${isShallow ? "--unshallow " : ""}${remote ?? "<URL of the repository>"} `;
  const from = async (commit: string) => ({ base: await baseAt(commit, remote ?? "origin", git), isShallow });
  if (pushedOnto !== undefined) {
    const commit = await known(pushedOnto);
    return commit === undefined ? { base: undefined, why: "missing", fetch: fetch + pushedOnto } : from(commit);
  }
  const folder = remote === undefined ? "refs/heads" : `refs/remotes/${remote}`;
  const missing = { base: undefined, why: "missing", fetch: `${fetch}+${main}:${folder}/${main}` } as const;
  const mergeBase = (branch: string) => asked("merge-base", "HEAD", branch);
  const branches = await linesOf(
    git("for-each-ref", "--format=%(refname)", ...names.map((name) => `${folder}/${name}`)),
  );
  if (!branches.includes(`${folder}/${main}`) || (await mergeBase(`${folder}/${main}`)) === undefined) return missing;
  const bases = (await Promise.all(branches.map(mergeBase))).filter((base) => base !== undefined);
  // Those that no other one has in its history.
  const [merged] = (await asked("merge-base", "--independent", ...bases))?.split("\n") ?? [];
  const isAhead = merged !== undefined && (merged !== head || (await asked("status", "--porcelain")) !== "");
  const commit = isAhead ? merged : await known("HEAD^1");
  if (commit !== undefined) return from(commit);
  return isShallow ? missing : { base: undefined, why: "first" };
}

/** Returns undefined for an error that is an answer. */
function unless<Answer>(answer: Promise<Answer>, isAnswer: (error: GitError) => boolean): Promise<Answer | undefined> {
  return answer.catch((error: unknown) =>
    error instanceof GitError && isAnswer(error) ? undefined : Promise.reject(error),
  );
}

async function baseAt(commit: string, remote: string, git: Git): Promise<Base> {
  // Only tags from before the change: a change could contain a tag of its own.
  const tags = await linesOf(git("tag", "--list", "v*", "--merged", commit, "--sort=-version:refname"));
  return {
    commit,
    remote,
    tag: tags.find((tag) => /^v\d+\.\d+\.\d+$/.test(tag)),
    read(revision, file) {
      // Unlike `git show`, it ignores the attributes and filters of the changed tree.
      const blob = git("cat-file", "blob", `${revision}:${file}`);
      return unless(blob, ({ said }) => /path '.*' (?:does not exist|exists on disk, but not) in/.test(said));
    },
    list: (folder) => linesOf(git("ls-tree", "-r", "--name-only", commit, "--", `${folder}/`)),
  };
}

async function linesOf(output: Promise<Buffer>): Promise<readonly string[]> {
  return (await output)
    .toString()
    .split("\n")
    .filter((line) => line !== "");
}
