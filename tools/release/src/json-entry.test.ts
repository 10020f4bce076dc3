import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./workspace.ts";

const built = join(root, "packages/client/dist");

/** What a built module names, and what the modules of the package that it names name in turn. */
function namedBy(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const source = readFileSync(path, "utf8");
  const named = [...source.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\()["']([^"']+)["']/g)];
  return named.flatMap(([, name = ""]) => (name.startsWith(".") ? namedBy(join(path, "..", name), seen) : [name]));
}

describe("@platform-rpc/client/json needs nothing at run time", () => {
  it.each(["json/index.js", "json/index.cjs"])("%s imports nothing", (file) => {
    expect(namedBy(join(built, file))).toEqual([]);
  });

  it("what the other entry imports is found, so that the above can fail", () => {
    for (const file of ["index.js", "index.cjs"]) {
      expect(namedBy(join(built, file))).toContain("@connectrpc/connect");
    }
  });
});
