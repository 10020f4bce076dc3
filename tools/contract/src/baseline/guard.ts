import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Finding, failure, startOf, unjudged } from "../model/finding.ts";
import { parseRelease, releasedFolder, releaseFile } from "./baseline.ts";
import type { Base, History } from "./history.ts";
import { switchFindings } from "./switches.ts";

const manifestFile = "packages/types/package.json";
const manifestSchema = z.object({ version: z.string() });

/**
 * Compares the released contract, and what makes the gate run, with the commit that the change starts from. Fails if that commit was not
 * fetched. Without a git repository, such as in an unpacked archive, the finding is a note.
 */
export async function guard(
  root: string,
  history: History,
  env: NodeJS.ProcessEnv = process.env,
): Promise<readonly Finding[]> {
  if (history.base === undefined) return missingHistory(history, env);
  const [released, switched] = await Promise.all([
    releasedFindings(root, history.base),
    switchFindings(root, history.base),
  ]);
  return [...released, ...switched];
}

/** The released contract may change only together with the version. Before the first release it may change freely. */
async function releasedFindings(root: string, base: Base): Promise<readonly Finding[]> {
  if (!base.changed.some((file) => file.startsWith(`${releasedFolder}/`))) return [];
  const versionsAt = async (read: (file: string) => Promise<string | undefined>) => {
    const [release, manifest] = await Promise.all([read(releaseFile), read(manifestFile)]);
    return {
      released: release === undefined ? undefined : parseRelease(release).version,
      version: manifest === undefined ? undefined : manifestSchema.parse(JSON.parse(manifest)).version,
    };
  };
  const was = await versionsAt(base.read);
  const is = await versionsAt((file) => readFile(join(root, file), "utf8").catch(() => undefined));
  const draft = was.released === undefined && is.released === undefined;
  const released = is.released !== undefined && is.released === is.version && is.version !== was.version;
  return draft || released ? [] : [changedAlone(was.released, base.commit)];
}

function changedAlone(released: string | undefined, base: string): Finding {
  const message =
    `${releasedFolder} differs from the merge base ${base.slice(0, 10)}, where ${released ?? "nothing"} is released, but the version of @platform-rpc/types did not change with it.\n` +
    `Fix: git checkout ${base.slice(0, 10)} -- ${releasedFolder}, or release with \`pnpm changeset version\` and \`pnpm contract release\`.`;
  return failure("released-changed", startOf(releaseFile), message);
}

function missingHistory(
  history: Exclude<History, { readonly base: Base }>,
  env: NodeJS.ProcessEnv,
): readonly Finding[] {
  if (history.why === "first") return [];
  const effect = `${releasedFolder} and the gate were not compared with those from before the change.`;
  if (history.why === "missing") {
    return [
      unjudged(
        "merge-base",
        releaseFile,
        `The commit that the change starts from was not fetched: ${effect}\nFix: ${history.fetch}`,
      ),
    ];
  }
  const finding = unjudged("merge-base", releaseFile, `This is not a git repository: ${effect}`);
  const { GITHUB_BASE_REF = "" } = env;
  return [GITHUB_BASE_REF === "" ? { ...finding, verdict: "noted" } : finding];
}
