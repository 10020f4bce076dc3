import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { changesOf } from "./changes.ts";

it("the notes of a release are the sections of its version in the changelogs", () => {
  const parent = mkdtempSync(join(tmpdir(), "changes-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const packageOf = (name: string, changelog?: string) => {
    const folder = join(parent, name);
    mkdirSync(folder);
    if (changelog !== undefined) writeFileSync(join(folder, "CHANGELOG.md"), changelog);
    return { folder, manifest: { name: `@scope/${name}`, version: "1.1.0" } };
  };
  const packages = [
    packageOf("one", "# one\n\n## 1.1.0\n\n### Minor Changes\n\n- New.\n\n## 1.0.0\n\n- First.\n"),
    packageOf("two", "# two\n\n## 1.1.0\n\n## 1.0.0\n\n- First.\n"),
    packageOf("three"),
  ];
  expect(changesOf(packages, "1.1.0")).toBe(
    [
      "# @scope/one\n\n### Minor Changes\n\n- New.\n",
      "# @scope/two\n\nNo changes.\n",
      "# @scope/three\n\nNo changes.\n",
    ].join("\n"),
  );
});
