import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./workspace.ts";

const built = join(root, "packages/client/dist");

/** Returns the imports of a built module and, recursively, of the modules that it imports from the package. */
function namedBy(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const source = readFileSync(path, "utf8");
  const named = [...source.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\()["']([^"']+)["']/g)];
  return named.flatMap(([, name = ""]) => (name.startsWith(".") ? namedBy(join(path, "..", name), seen) : [name]));
}

describe("@platform-rpc/client/json has no runtime dependencies", () => {
  it.each(["json/index.js", "json/index.cjs"])("%s imports nothing", (file) => {
    expect(namedBy(join(built, file))).toEqual([]);
  });

  it("the imports of the other entry are found, which proves that the test can fail", () => {
    for (const file of ["index.js", "index.cjs"]) {
      expect(namedBy(join(built, file))).toContain("@connectrpc/connect");
    }
  });
});
