import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The commit that a change starts from: what was pushed onto, or else the merge base with main, or else, on main, the parent. */
export interface Base {
  readonly commit: string;
  /** Returns a file as it was. Undefined: it did not exist. */
  read(file: string): Promise<string | undefined>;
  /** The files that differ now, committed or not, new ones included. */
  readonly changed: readonly string[];
  /** Writes an archive (tar) of some paths. */
  archive(target: string, ...paths: readonly string[]): Promise<void>;
}

/** `first`: there is nothing before this commit. `missing`: it was not fetched. `none`: this is no git repository. */
export type History =
  | { readonly base: Base }
  | { readonly base: undefined; readonly why: "first" | "none" }
  | { readonly base: undefined; readonly why: "missing"; readonly fetch: string };

/**
 * Finds the commit that the change under `root` starts from.
 *
 * @param pushedOnto the commit of main that several commits were pushed onto together. All of them are the change, not only the last.
 */
export async function readHistory(root: string, pushedOnto?: string): Promise<History> {
  const git = async (...args: readonly string[]) => (await run("git", args, { cwd: root, maxBuffer: 1 << 28 })).stdout;
  const tried = (...args: readonly string[]) =>
    git(...args).then(
      (text) => text.trim(),
      () => undefined,
    );
  const [head, shallow, remotes] = await Promise.all([
    tried("rev-parse", "--verify", "HEAD"),
    tried("rev-parse", "--is-shallow-repository"),
    tried("remote"),
  ]);
  if (head === undefined) return { base: undefined, why: "none" };
  const fetch = `git fetch ${shallow === "true" ? "--unshallow " : ""}origin `;
  if (pushedOnto !== undefined) {
    const commit = await tried("rev-parse", "--verify", `${pushedOnto}^{commit}`);
    if (commit === undefined) return { base: undefined, why: "missing", fetch: fetch + pushedOnto };
    return { base: await baseAt(commit, git) };
  }
  // Without a remote there is no other main than the local one.
  const main = remotes === "" ? "main" : "origin/main";
  const merged = await tried("merge-base", "HEAD", main);
  const missing = { base: undefined, why: "missing", fetch: `${fetch}+main:refs/remotes/origin/main` } as const;
  if (merged === undefined && remotes !== "") return missing;
  const isClean = async () => (await tried("status", "--porcelain")) === "";
  const isAhead = merged !== undefined && (merged !== head || !(await isClean()));
  const commit = isAhead ? merged : await tried("rev-parse", "--verify", "HEAD^1");
  if (commit === undefined) return shallow === "true" ? missing : { base: undefined, why: "first" };
  return { base: await baseAt(commit, git) };
}

async function baseAt(commit: string, git: (...args: readonly string[]) => Promise<string>): Promise<Base> {
  const listed = await Promise.all([
    git("diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", commit),
    git("ls-files", "--others", "--exclude-standard", "--full-name", "-z"),
  ]);
  return {
    commit,
    changed: listed.flatMap((text) => text.split("\0")).filter((file) => file !== ""),
    read: (file) => git("show", `${commit}:${file}`).catch(() => undefined),
    async archive(target, ...paths) {
      await git("archive", "--format=tar", `--output=${target}`, commit, "--", ...paths);
    },
  };
}
