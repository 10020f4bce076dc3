import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { expect, it } from "vitest";
import { findingsOf } from "./consumer-project.ts";

it("notices an installed package without a file that its package.json names", () => {
  using project = createTemporaryFolder("project");
  const folder = join(project.path, "node_modules/one");
  mkdirSync(folder, { recursive: true });
  const exports = { ".": { import: { types: "./a.d.ts", default: "./a.js" } }, "./b": "./b.js" };
  const manifest = { main: "./a.cjs", bin: { one: "./bin.js" }, exports, typesVersions: { "*": { b: ["./b.d.ts"] } } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  for (const file of ["README.md", "LICENSE", "CHANGELOG.md", "a.d.ts", "a.js"]) writeFileSync(join(folder, file), "");
  const missing = ["./a.cjs", "./bin.js", "./b.js", "./b.d.ts"];
  expect(findingsOf("one", project.path)).toEqual(missing.map((file) => `one: ${file} is missing`));
});
