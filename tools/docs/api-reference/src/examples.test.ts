import { ReflectionKind } from "typedoc";
import { describe, expect, it } from "vitest";
import { callablesOf, examplesOf, exportsOf } from "./examples.ts";
import { readReference } from "./read-reference.ts";
import { checkExamples } from "./run-examples.ts";

const { project } = await readReference();
const examples = examplesOf(project);
const checked = await checkExamples(examples);
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
