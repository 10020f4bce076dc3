import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Faults } from "../faults.ts";
import { readContract } from "../read-contract.ts";
import { openapiDocument } from "./document.ts";
import { errorPages } from "./error-pages.ts";

/** The OpenAPI document: the reference app serves it. */
export const openapiFile = "apps/reference/src/gen/openapi.json";
/** A page for each error reason. Everything in this folder is generated. */
export const errorPagesFolder = "docs/errors";

/** Makes the OpenAPI document and the error pages from proto/, under `target` as they lie under `root`. */
export function writeDocuments(root: string, target: string): Faults {
  const contract = readContract(root);
  if ("fault" in contract) return [contract.fault];
  try {
    const document = openapiDocument(contract);
    const pages = errorPages(contract);
    write(join(target, openapiFile), `${JSON.stringify(document, undefined, 2)}\n`);
    // The page of a reason that is no more must go.
    rmSync(join(target, errorPagesFolder), { recursive: true, force: true });
    for (const [name, page] of pages) write(join(target, errorPagesFolder, name), page);
    return [];
  } catch (error) {
    if (error instanceof TypeError) return [`The OpenAPI document cannot be made: ${error.message}`];
    throw error;
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
