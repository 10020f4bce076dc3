import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Bundles of this process, by module. Other processes that run tests at the same time make their own. */
const bundles = new Map<string, URL>();
const { XDG_CACHE_HOME = tmpdir() } = process.env;
const folder = join(XDG_CACHE_HOME, `programs-${process.pid}`);

/**
 * Returns the bundle of a TypeScript module, for a process or a thread of a test. A bundle starts in half of the time that Node
 * needs to load every source and strip its types.
 */
export function bundleOf(module: URL): URL {
  const name = basename(module.pathname, ".ts");
  // This module is itself part of a bundle.
  if (!import.meta.url.endsWith(".ts")) return new URL(`${name}.js`, import.meta.url);
  const known = bundles.get(module.href);
  if (known !== undefined) return known;
  const outdir = join(folder, name);
  build([module, new URL("./suite-writer.ts", import.meta.url)], outdir);
  const bundle = pathToFileURL(join(outdir, `${name}.js`));
  bundles.set(module.href, bundle);
  return bundle;
}

/** The modules share their code, so that a child process finds the bundle of the writer's thread next to its own. */
function build(modules: readonly URL[], outdir: string): void {
  // Not an import, because bundles contain this module, and cannot load esbuild.
  const { buildSync }: typeof import("esbuild") = createRequire(import.meta.url)("esbuild");
  const entryPoints = [...new Set(modules.map((module) => fileURLToPath(module)))];
  buildSync({
    entryPoints,
    outdir,
    entryNames: "[name]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    // The driver of PostgreSQL is CommonJS.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  });
}
