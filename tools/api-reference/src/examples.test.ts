import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { publicEntryPoints } from "./entry-points.ts";
import { callablesOf, examplesOf } from "./examples.ts";
import { readReference } from "./read-reference.ts";
import { runExamples } from "./run-examples.ts";

const { project } = await readReference(publicEntryPoints);
const examples = examplesOf(project);
const verdicts = await runExamples(examples);
const performed = examples.map((example, index) => ({ ...example, ...verdicts[index] }));

describe("an example in a docstring type-checks, runs, and prints what it says that it prints", () => {
  it.each(performed)("$of", ({ code, promised, printed, error, objections }) => {
    expect(objections).toEqual([]);
    expect(error).toBeUndefined();
    expect(printed).toEqual(promised);
    const logs = code.match(/console\.log\(/g) ?? [];
    expect(logs, "each console.log is a line of its own, and its result the next").toHaveLength(promised.length);
  });
});

it("whatever a caller can call has an example", () => {
  const shown = new Set(examples.map((example) => example.of));
  const callables = callablesOf(project, "@platform-rpc/client");
  expect(callables.length).toBeGreaterThan(10);
  expect(callables.filter((name) => !shown.has(name))).toEqual([]);
});

describe("an example that does not hold is found out, and no other for it", async () => {
  const cases = [
    { rule: "that holds", code: "console.log(2);", verdict: { objections: [], printed: ["2"] } },
    { rule: "that prints something else", code: "console.log(1);", verdict: { objections: [], printed: ["1"] } },
    {
      rule: "of the wrong type",
      code: "const id: number = vaultId;\nconsole.log(2);",
      verdict: { objections: ["Type 'string' is not assignable to type 'number'."], printed: ["2"] },
    },
    {
      rule: "that uses what nobody has",
      code: 'console.log(2);\nif (vaultId === "") nobodys();',
      verdict: { objections: ["Cannot find name 'nobodys'."], printed: ["2"] },
    },
    {
      rule: "that throws",
      code: 'console.log(2);\nthrow new Error("no");',
      verdict: { objections: [], printed: ["2"], error: expect.stringContaining("Error: no") },
    },
  ];
  const verdicts = await runExamples(cases);

  it.each(cases.map((one, index) => ({ ...one, said: verdicts[index] })))("one $rule", ({ verdict, said }) => {
    expect(said).toEqual(verdict);
  });
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
  expect(await runExamples([{ code }])).toEqual([{ objections: [], printed: ["a/b"] }]);
});
