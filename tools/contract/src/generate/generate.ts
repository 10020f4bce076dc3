import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startBuf } from "../buf/buf.ts";
import type { Contract } from "../model/contract.ts";
import { type Finding, failure, startOf } from "../model/finding.ts";
import { type Changelog, parseChangelog } from "../render/changelog.ts";
import { documentFolders, renderDocuments } from "../render/documents.ts";

/** The templates of `buf generate`, in the root of the workspace. */
export const templateFiles = ["yaml", "internal.yaml", "server.yaml", "v1.yaml", "contract.yaml"].map(
  (name) => `buf.gen.${name}`,
);

const codeFolders = [
  "packages/types/src/gen",
  "packages/types-internal/src/gen",
  "packages/types-connect-v1/src/gen",
  "packages/server/src/gen",
  "packages/client/src/gen",
];

/** Everything in these folders is generated. */
export const generatedFolders = [...codeFolders, ...documentFolders];

/** Generates everything from the contract under `root`, and writes it under `target`. Returns what failed. */
export async function generate(root: string, target: string, contract: Contract): Promise<readonly Finding[]> {
  for (const folder of codeFolders) rmSync(join(target, folder), { recursive: true, force: true });
  const runs = templateFiles.map((file) => startBuf(root, ["generate", "--template", file, "--output", target]));
  const faults = (await Promise.all(runs)).flatMap(({ ok, report }, index) =>
    ok ? [] : [failure("generated", startOf(templateFiles[index] ?? "proto"), report)],
  );
  return faults.length > 0 ? faults : writeDocuments(root, target, contract);
}

/** Writes the OpenAPI documents, and the pages of operations and errors, under `target`. Returns what failed. */
export function writeDocuments(root: string, target: string, contract: Contract): readonly Finding[] {
  try {
    const documents = renderDocuments(contract, readChangelog(root));
    // Removes the pages of reasons and operations that no longer exist.
    for (const folder of documentFolders) rmSync(join(target, folder), { recursive: true, force: true });
    for (const [path, text] of documents) {
      mkdirSync(dirname(join(target, path)), { recursive: true });
      writeFileSync(join(target, path), text);
    }
    return [];
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return [failure("generated", startOf("proto"), `The documents cannot be generated: ${error.message}`)];
  }
}

/**
 * Reads the changelog of @platform-rpc/types. It is complete for the contract: `pnpm contract` rejects a change that no changeset
 * names, and a release turns changesets into the changelog.
 */
function readChangelog(root: string): Changelog {
  const path = join(root, "packages/types/CHANGELOG.md");
  return existsSync(path) ? parseChangelog(readFileSync(path, "utf8")) : [];
}
