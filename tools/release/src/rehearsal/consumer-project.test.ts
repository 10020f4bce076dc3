import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { expect, it } from "vitest";
import { findingsOf } from "./consumer-project.ts";

it("notices an installed package without a file that its package.json names", () => {
  using project = createTemporaryFolder("project");
  const folder = join(project.path, "node_modules/one");
  const manifest = {
    main: "./a.cjs",
    types: "./a.d.ts",
    bin: { one: "./bin.js" },
    exports: { ".": { import: { types: "./a.d.ts", default: "./a.js" } }, "./b": "./b.js" },
    typesVersions: { "*": { b: ["./b.d.ts"] } },
  };
  const existing = ["README.md", "LICENSE", "CHANGELOG.md", "a.d.ts", "a.js"];
  for (const file of [...existing, "package.json"]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), file === "package.json" ? JSON.stringify(manifest) : "");
  }
  expect(findingsOf("one", project.path)).toEqual(
    ["./a.cjs", "./bin.js", "./b.js", "./b.d.ts"].map((file) => `one: ${file} is missing`),
  );
});
