import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildContract } from "./buf/build-contract.ts";
import type { Faults } from "./faults.ts";
import { documentFolders, renderDocuments } from "./render/documents.ts";

/** Writes the OpenAPI documents and the error pages of proto/ under `target`, as they lie under `root`. */
export async function writeDocuments(root: string, target: string): Promise<Faults> {
  const contract = await buildContract(root);
  if ("faults" in contract) return contract.faults.map(({ message }) => message);
  try {
    const documents = renderDocuments(contract);
    // The page of a reason that is gone must go.
    for (const folder of documentFolders) rmSync(join(target, folder), { recursive: true, force: true });
    for (const [path, text] of documents) {
      mkdirSync(dirname(join(target, path)), { recursive: true });
      writeFileSync(join(target, path), text);
    }
    return [];
  } catch (error) {
    if (error instanceof TypeError) return [`The documents cannot be generated: ${error.message}`];
    throw error;
  }
}
