import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ReflectionKind } from "typedoc";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { publicEntryPoints } from "./entry-points.ts";
import { callablesOf, examplesOf, exportsOf } from "./examples.ts";
import { readReference } from "./read-reference.ts";
import { checkExamples, runExamples } from "./run-examples.ts";

const { project } = await readReference(publicEntryPoints);
const examples = examplesOf(project);
const wrong = [
  { rule: "that is right", code: "console.log(2);", result: { diagnostics: [], printed: ["2"] } },
  { rule: "that prints something else", code: "console.log(1);", result: { diagnostics: [], printed: ["1"] } },
  {
    rule: "of the wrong type",
    code: "const id: number = vaultId;\nconsole.log(2);",
    result: { diagnostics: ["Type 'string' is not assignable to type 'number'."], printed: ["2"] },
  },
  {
    rule: "that uses an unknown name",
    code: 'console.log(2);\nif (vaultId === "") unknownName();',
    result: { diagnostics: ["Cannot find name 'unknownName'."], printed: ["2"] },
  },
  {
    rule: "that throws",
    code: 'console.log(2);\nthrow new Error("no");',
    result: { diagnostics: [], printed: ["2"], error: expect.stringContaining("Error: no") },
  },
];

// One run for both, because loading the packages and their types takes longest.
const checked = await checkExamples([...examples, ...wrong]);
const performed = examples.map((example, index) => ({ ...example, ...checked[index] }));

describe("an example in a docstring type-checks, runs, and prints the output in its comments", () => {
  it.each(performed)("$of", ({ code, expected, printed, error, diagnostics }) => {
    expect(diagnostics).toEqual([]);
    expect(error).toBeUndefined();
    expect(printed).toEqual(expected);
    const logs = code.match(/console\.log\(/g) ?? [];
    expect(logs, "each console.log is one line, followed by a comment with its output").toHaveLength(expected.length);
  });
});

it.each([
  ["every function and class of the client", callablesOf(project, "@platform-rpc/client")],
  ["everything that the main entry of the server exports", exportsOf(project, "@platform-rpc/server")],
])("%s has an example", (_which, names) => {
  const shown = new Set(examples.map((example) => example.of));
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !shown.has(name))).toEqual([]);
});

it("every parameter has a name, also if the code destructures it", () => {
  const names = project.getReflectionsByKind(ReflectionKind.Parameter).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["input", "call", "options"]));
  expect(names.filter((name) => !/^[a-z]\w*$/i.test(name))).toEqual([]);
});

describe("a wrong example is reported, and does not affect the others", () => {
  it.each(wrong.map((one, index) => ({ ...one, actual: checked[examples.length + index] })))(
    "one $rule",
    ({ result, actual }) => {
      expect(actual).toEqual(result);
    },
  );
});

it.each([
  ["no package.json", undefined],
  ["a CommonJS package.json", '{"type":"commonjs"}'],
])("an example is an ES module in a temporary folder with %s", async (_case, manifest) => {
  const folder = mkdtempSync(join(tmpdir(), "api-reference-"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  if (manifest) writeFileSync(join(folder, "package.json"), manifest);
  vi.stubEnv("TMPDIR", folder);
  const code = 'import { join } from "node:path";\nconsole.log(join("a", "b"));';
  expect(await runExamples([{ code }])).toEqual([{ printed: ["a/b"] }]);
});
