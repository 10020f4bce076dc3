import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "./workspace.ts";

/** What the gates of turbo and the tests of vitest leave. */
const task = (name: string, exitCode?: number) => ({
  task: name,
  command: "…",
  execution: exitCode === undefined ? undefined : { exitCode },
});
const allPass = { tasks: [task("build", 0), task("types", 0), task("types", 0), task("lint", 0)] };
const passing = { code: 0, summary: allPass, tests: { numPassedTests: 7, numFailedTests: 0 } };

/** Runs the tally after tests that end with a code, and a visit of the README that passes. */
function run({ code, summary, tests }: Partial<typeof passing>) {
  const folder = mkdtempSync(join(tmpdir(), "tally-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (path: string, name: string, value: unknown) => {
    mkdirSync(join(folder, path), { recursive: true });
    if (value !== undefined) writeFileSync(join(folder, path, name), JSON.stringify(value));
  };
  write(".turbo/runs", "id.json", summary);
  write("node_modules/.vitest", "report.json", tests);
  cpSync(join(root, "tools/tally.mjs"), join(folder, "tools/tally.mjs"));
  const tally = join(folder, "tools/tally.mjs");
  const { stdout, status } = spawnSync(process.execPath, [tally, String(code), "0"], { encoding: "utf8" });
  return { lines: stdout.trimEnd().split("\n"), status };
}

describe("the tally of .ci/run", () => {
  const lintFails = { tasks: [task("types", 0), task("lint", 1)] };
  // The build of another package failed, so turbo did not run the task.
  const typesIncomplete = { tasks: [task("types", 0), task("types"), task("lint", 0)] };

  it("counts the tests, each gate, and the README", () => {
    const lines = ["passed  pnpm types", "passed  pnpm lint", "10 passed, 0 failed"];
    expect(run(passing)).toEqual({ lines, status: 0 });
  });

  it.each([
    ["a gate failed", { ...passing, summary: lintFails }, "9 passed, 1 failed"],
    ["a package was not checked", { ...passing, summary: typesIncomplete }, "9 passed, 1 failed"],
    ["turbo did not start", { code: 0, tests: passing.tests }, "8 passed, 1 failed"],
    [
      "two tests failed",
      { ...passing, code: 1, tests: { numPassedTests: 5, numFailedTests: 2 } },
      "8 passed, 2 failed",
    ],
    ["a test file was not loaded", { ...passing, code: 1 }, "10 passed, 1 failed"],
    ["no test ran", { ...passing, tests: { numPassedTests: 0, numFailedTests: 0 } }, "3 passed, 1 failed"],
    ["there is no report of tests", { code: 1, summary: allPass }, "3 passed, 1 failed"],
  ])("counts a failure if %s", (_case, left, last) => {
    const { lines, status } = run(left);
    expect(lines.at(-1)).toBe(last);
    expect(status).toBe(1);
  });
});

it("CONTRIBUTING.md lists every gate, and no other", () => {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const { scripts } = JSON.parse(read("package.json"));
  const [, gates = ""] = /turbo run ([^-]+) --/.exec(scripts.gates) ?? [];
  const [, table = ""] = /\| gate \|.*\n(?:\|-.*\n)((?:\|.*\n)+)/.exec(read("CONTRIBUTING.md")) ?? [];
  const listed = [...table.matchAll(/^\| `pnpm (.*?)` \|/gm)].map(([, script]) => script);
  expect(listed.sort()).toEqual([...gates.split(" "), "test"].sort());
});
