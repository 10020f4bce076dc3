import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { type Finding, failure, startOf, unjudged } from "../model/finding.ts";
import { parseRelease, releasedFolder, releaseFile } from "./baseline.ts";

const run = promisify(execFile);
const manifestFile = "packages/types/package.json";
const manifestSchema = z.object({ version: z.string() });

/**
 * Compares the released contract with the one at the merge base with origin/main: it may change only together with the
 * version. Before the first release it may change freely. Without a merge base the check cannot run: a pull request then
 * fails, and any other run gets a note.
 */
export async function guard(
  root: string,
  { GITHUB_BASE_REF = "" }: NodeJS.ProcessEnv = process.env,
): Promise<readonly Finding[]> {
  const git = async (...args: string[]) => (await run("git", args, { cwd: root })).stdout;
  const base = await git("merge-base", "HEAD", "origin/main").then(
    (text) => text.trim(),
    () => undefined,
  );
  if (base === undefined) return [noMergeBase(GITHUB_BASE_REF !== "")];
  const changed = await git("diff", "--name-only", base, "--", releasedFolder);
  if (changed === "") return [];
  const versionsAt = async (read: (file: string) => Promise<string>) => ({
    released: await read(releaseFile).then(
      (text) => parseRelease(text).version,
      () => undefined,
    ),
    version: manifestSchema.parse(JSON.parse(await read(manifestFile))).version,
  });
  const was = await versionsAt((file) => git("show", `${base}:${file}`));
  const is = await versionsAt((file) => readFile(join(root, file), "utf8"));
  const draft = was.released === undefined && is.released === undefined;
  const released = is.released === is.version && is.version !== was.version;
  return draft || released ? [] : [changedAlone(was.released, base)];
}

function changedAlone(released: string | undefined, base: string): Finding {
  const message =
    `${releasedFolder} differs from the merge base ${base.slice(0, 10)}, where ${released ?? "nothing"} is released, but the version of @platform-rpc/types did not change with it.\n` +
    `Fix: git checkout ${base.slice(0, 10)} -- ${releasedFolder}, or release with \`pnpm changeset version\` and \`pnpm contract release\`.`;
  return failure("released-changed", startOf(releaseFile), message);
}

function noMergeBase(isPullRequest: boolean): Finding {
  const message =
    `There is no merge base with origin/main: whether ${releasedFolder} changed without a release was not checked.\n` +
    "Fix: fetch origin/main with its history (actions/checkout with fetch-depth: 0).";
  const finding = unjudged("merge-base", releaseFile, message);
  return isPullRequest ? finding : { ...finding, verdict: "noted" };
}
