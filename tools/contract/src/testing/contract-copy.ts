import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildContract } from "../buf/buf.ts";
import { generatedFolders, templateFiles } from "../generate/generate.ts";
import type { Contract } from "../model/contract.ts";

export const workspaceRoot = fileURLToPath(new URL("../../../..", import.meta.url));

/** A temporary copy of the contract that a test may edit. */
export interface ContractCopy extends Disposable {
  readonly root: string;
  /** Replaces a place in a file of the copy. The place must exist exactly once. */
  edit(file: string, place: RegExp, replacement: string): void;
  /** Adds platform.v2, a copy of v1. */
  addV2(): void;
}

/** Copies the contract, without the released one, and with `generated` also what is generated from it. */
export function copyContract({ generated = false } = {}): ContractCopy {
  const root = mkdtempSync(join(tmpdir(), "contract-"));
  const parts = [
    "proto",
    "buf.yaml",
    "packages/types/package.json",
    ...(generated ? [...templateFiles, ...generatedFolders] : []),
  ];
  for (const part of parts) cpSync(join(workspaceRoot, part), join(root, part), { recursive: true });
  // The template of Connect-ES v1 finds its plugins there.
  const plugins = "packages/types-connect-v1/node_modules";
  if (generated) symlinkSync(join(workspaceRoot, plugins), join(root, plugins));
  return {
    root,
    edit(file, place, replacement) {
      const path = join(root, file);
      const text = readFileSync(path, "utf8");
      const places = [...text.matchAll(new RegExp(place, `${place.flags}g`))].length;
      if (places !== 1) throw new Error(`${file} has ${places} places like ${place}`);
      writeFileSync(path, text.replace(place, replacement));
    },
    addV2() {
      const to = join(root, "proto/platform/v2");
      cpSync(join(root, "proto/platform/v1"), to, { recursive: true });
      for (const file of readdirSync(to)) {
        const text = readFileSync(join(to, file), "utf8");
        writeFileSync(join(to, file), text.replace(/platform([./])v1\b/g, "platform$1v2"));
      }
    },
    [Symbol.dispose]() {
      rmSync(root, { recursive: true });
    },
  };
}

/** @throws Error with buf's findings when the contract under `root` cannot be built. */
export async function contractAt(root: string): Promise<Contract> {
  const contract = await buildContract(root);
  if ("faults" in contract) throw new Error(contract.faults.map(({ message }) => message).join("\n"));
  return contract;
}
