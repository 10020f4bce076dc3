import { existsSync, globSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { privateNamesIn } from "../private-names.ts";
import { readManifest } from "../workspace.ts";

const documents = ["README.md", "LICENSE", "CHANGELOG.md"];

/**
 * The version of a package that a project has installed.
 *
 * @throws when there is none, or more than one copy: two copies of a runtime have types and registries that know nothing
 * of each other.
 */
export function onlyCopyOf(name: string, project: string): string {
  const places = ["", "**/node_modules/", ".pnpm/*/node_modules/"];
  const found = globSync(
    places.map((place) => `node_modules/${place}${name}/package.json`),
    { cwd: project },
  );
  const [copy, ...others] = new Set(found.map((path) => realpathSync(join(project, path))));
  if (copy === undefined) throw new Error(`There is no ${name}.`);
  if (others.length > 0) throw new Error(`There is more than one ${name}:\n${[copy, ...others].join("\n")}`);
  return readManifest(copy).version;
}

/** What is wrong with a package of ours as it arrived. */
export function findingsOf(name: string, project: string): readonly string[] {
  const folder = join(project, "node_modules", name);
  const missing = documents.filter((file) => !existsSync(join(folder, file))).map((file) => `${file} is missing`);
  return [...missing, ...privateNamesIn(folder)].map((fault) => `${name}: ${fault}`);
}
