import { cpSync, globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./workspace.ts";

const folder = join(root, "packages/types");
const published = [
  "proto/platform/v*/**/*.proto",
  "proto/platform/options/**/*.proto",
  "proto/{buf,google}/**/*.proto",
];
const documents = "apps/platform/src/gen/";

/**
 * Returns the contract files in the package of types, by their paths in the package: the .proto files, the OpenAPI
 * documents and the error pages. The values are paths from the root of the workspace.
 */
export function contractFiles(): ReadonlyMap<string, string> {
  const files = globSync([...published, `${documents}openapi*.json`, "docs/errors/**/*.md"], { cwd: root }).sort();
  return new Map(files.map((file) => [file.replace(documents, "").replace(/^docs\//, ""), file]));
}

function copy(): void {
  for (const [target, file] of contractFiles()) cpSync(join(root, file), join(folder, target));
}

function remove(): void {
  for (const part of new Set([...contractFiles().keys()].map((target) => target.replace(/\/.*/, "")))) {
    rmSync(join(folder, part), { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { remove: { type: "boolean", default: false } } });
  if (values.remove) remove();
  else copy();
}
