import { isBuiltin } from "node:module";
import { posix } from "node:path";
import type { Module } from "./module.ts";

/** The folders whose modules are bundled for browsers. */
const folders = ["apps/console/src/", "apps/reference/src/accounts/browser/"];

/**
 * Returns every import of a module of Node, and every use of its globals, in code that runs in browsers: the modules of these folders
 * except their tests, and what they import from this workspace.
 */
export function nodeInBrowserCode(modules: readonly Module[]): readonly string[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const runs = new Set(
    modules.filter(({ path }) => folders.some((folder) => path.startsWith(folder)) && !/\.test\.tsx?$/.test(path)),
  );
  // A set also visits what is added during the loop.
  for (const module of runs) {
    for (const specifier of specifiersOf(module)) {
      for (const path of pathsOf(module.path, specifier)) {
        const imported = byPath.get(path);
        if (imported !== undefined) runs.add(imported);
      }
    }
  }
  return [...runs].flatMap((module) => [
    ...specifiersOf(module)
      .filter((specifier) => isBuiltin(specifier))
      .map((specifier) => `${module.path} runs in browsers: it must not import ${specifier}`),
    ...module.nodeGlobals.map((name) => `${module.path} runs in browsers: it must not use ${name}`),
  ]);
}

/** Returns the imports that exist at run time. */
function specifiersOf({ imports }: Module): readonly string[] {
  return imports.filter(({ typeOnly }) => !typeOnly).map(({ specifier }) => specifier);
}

/** Returns the paths at which an import of this workspace may be. */
function pathsOf(path: string, specifier: string): readonly string[] {
  const [, name, entry = ""] = /^@platform-rpc\/([^/]+)(\/.+)?$/.exec(specifier) ?? [];
  if (name !== undefined) {
    const source = `packages/${name}/src${entry}`;
    return [`${source}/index.ts`, `${source}.ts`];
  }
  if (!specifier.startsWith(".")) return [];
  const source = posix.join(posix.dirname(path), specifier).replace(/\.js$/, "");
  return [`${source}.ts`, `${source}.tsx`];
}
