import { existsSync, globSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { privateNamesIn } from "../private-names.ts";
import { readManifest } from "../workspace.ts";

const documents = ["README.md", "LICENSE", "CHANGELOG.md"];

/**
 * Returns the version of a package that a project has installed.
 *
 * @throws Error when it is not installed, or more than once: two copies of a runtime have separate types and registries.
 */
export function onlyCopyOf(name: string, project: string): string {
  const places = ["", "**/node_modules/", ".pnpm/*/node_modules/"];
  const found = globSync(
    places.map((place) => `node_modules/${place}${name}/package.json`),
    { cwd: project },
  );
  const [copy, ...others] = new Set(found.map((path) => realpathSync(join(project, path))));
  if (copy === undefined) throw new Error(`${name} is not installed.`);
  if (others.length > 0) throw new Error(`${name} is installed more than once:\n${[copy, ...others].join("\n")}`);
  return readManifest(copy).version;
}

/** Returns the problems of one of our packages after its installation. */
export function findingsOf(name: string, project: string): readonly string[] {
  const folder = join(project, "node_modules", name);
  const { files = [] } = readManifest(join(folder, "package.json"));
  const missing = [...new Set([...documents, ...files])]
    .filter((file) => !existsSync(join(folder, file)))
    .map((file) => `${file} is missing`);
  return [...missing, ...privateNamesIn(folder)].map((problem) => `${name}: ${problem}`);
}
