import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Module, readModule } from "./module.ts";

const sources = "{packages,apps,tools}/**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}";
/** Folders that are not hand-written: dist is built, gen is generated from proto/. */
const excluded = new Set(["node_modules", "dist", "gen"]);

/** Reads every hand-written module of the workspace. */
export function readModules(root: string): readonly Module[] {
  return globSync(sources, { cwd: root, exclude: (name) => excluded.has(name) }).map((path) =>
    readModule(path.replaceAll("\\", "/"), readFileSync(join(root, path), "utf8")),
  );
}
