import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FileRegistry } from "@bufbuild/protobuf";
import { generatedFolders, templates } from "./generate.ts";
import { buildContract } from "./read-contract.ts";
import { releasedImage, releasedLock } from "./released-contract.ts";
import { sourceFolders } from "./sources.ts";

export const workspaceRoot = fileURLToPath(new URL("../../..", import.meta.url));

/** One deliberate edit. The place must be in the file, once. */
export type Edit = readonly [file: string, place: RegExp, replacement: string];

/** A copy of the contract in a folder of its own, for a test to break. */
export interface ContractCopy extends Disposable {
  readonly root: string;
  /** Replaces a place in a file of proto/platform. */
  edit(...edit: Edit): void;
  /** A copy of the copy, its released contract included. */
  fork(): ContractCopy;
}

/** Copies today's contract, what is generated from it and what speaks it, without the released contract. */
export function copyContract(): ContractCopy {
  return copyParts(workspaceRoot, [
    "proto",
    "buf.yaml",
    ...Object.keys(templates),
    ...generatedFolders,
    ...sourceFolders,
  ]);
}

/** Builds today's contract with some edits, of which nothing is left on the disk. */
export async function buildEdited(edits: readonly Edit[]): Promise<FileRegistry> {
  using copy = copyParts(workspaceRoot, ["proto", "buf.yaml"]);
  for (const edit of edits) copy.edit(...edit);
  const contract = await buildContract(copy.root);
  if ("faults" in contract) throw new Error(contract.faults.map(({ message }) => message).join("\n"));
  return contract;
}

/** @throws Error when the place is not there, or there more than once. */
export function edited(text: string, [file, place, replacement]: Edit): string {
  const places = [...text.matchAll(new RegExp(place, `${place.flags}g`))].length;
  if (places !== 1) throw new Error(`${file} has ${places} places like ${place}`);
  return text.replace(place, replacement);
}

function copyParts(from: string, parts: readonly string[]): ContractCopy {
  const root = mkdtempSync(join(tmpdir(), "contract-"));
  for (const part of parts) cpSync(join(from, part), join(root, part), { recursive: true });
  return {
    root,
    edit(file, place, replacement) {
      const path = join(root, "proto/platform", file);
      writeFileSync(path, edited(readFileSync(path, "utf8"), [file, place, replacement]));
    },
    fork: () =>
      copyParts(
        root,
        [...parts, releasedImage, releasedLock].filter((part) => existsSync(join(root, part))),
      ),
    [Symbol.dispose]() {
      rmSync(root, { recursive: true });
    },
  };
}
