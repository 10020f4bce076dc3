import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { startBuf } from "../buf/buf.ts";
import type { Contract } from "../model/contract.ts";
import { type Finding, failure, startOf } from "../model/finding.ts";
import { documentFolders, renderDocuments } from "../render/documents.ts";
import { type Changelog, parseChangelog } from "../render/operation-pages.ts";
import { rulesPage, rulesPageFile } from "./rules-page.ts";

/** The templates of `buf generate`, in the root of the workspace. */
export const templateFiles = ["yaml", "internal.yaml", "server.yaml", "v1.yaml", "contract.yaml"].map(
  (name) => `buf.gen.${name}`,
);

const codeFolders = [
  "packages/types/src/gen",
  "packages/private/types-internal/src/gen",
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
  if (faults.length > 0) return faults;
  mkdirSync(dirname(join(target, rulesPageFile)), { recursive: true });
  writeFileSync(join(target, rulesPageFile), rulesPage());
  return writeDocuments(root, target, contract);
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

/** Generates into a temporary folder and compares it with what is committed under `root`, which stays untouched. */
export async function drift(root: string, contract: Contract): Promise<readonly Finding[]> {
  const target = mkdtempSync(join(tmpdir(), "generated-"));
  try {
    const failures = await generate(root, target, contract);
    return failures.length > 0 ? failures : differences(readGenerated(root), readGenerated(target));
  } finally {
    rmSync(target, { recursive: true });
  }
}

export function differences(
  committed: ReadonlyMap<string, string>,
  fresh: ReadonlyMap<string, string>,
): readonly Finding[] {
  const files = [...new Set([...committed.keys(), ...fresh.keys()])].sort();
  const drifted = files.filter((file) => committed.get(file) !== fresh.get(file));
  const [first] = drifted;
  if (first === undefined) return [];
  const message =
    `Generated files do not match proto/:\n${drifted.map((file) => `  ${file}`).join("\n")}\n` +
    "Fix: run `pnpm generate` and commit the files with the change. Never edit them.";
  return [failure("generated", startOf(first), message)];
}

export function readGenerated(root: string): ReadonlyMap<string, string> {
  const files = generatedFolders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const page = join(root, rulesPageFile);
  return new Map(
    [...files, ...(existsSync(page) ? [page] : [])].map((file) => [relative(root, file), readFileSync(file, "utf8")]),
  );
}
