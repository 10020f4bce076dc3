import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Module, readModule } from "./module.ts";

const sources = "{packages,apps,tools}/**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}";
/** Made by machines: dist by the build, gen from proto/. */
const made = new Set(["node_modules", "dist", "gen"]);

/** Every hand-written module of the workspace. */
export function readModules(root: string): readonly Module[] {
  return globSync(sources, { cwd: root, exclude: (name) => made.has(name) }).map((path) =>
    readModule(path.replaceAll("\\", "/"), readFileSync(join(root, path), "utf8")),
  );
}
