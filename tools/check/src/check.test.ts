import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runGate } from "./gate.ts";
import { lanes } from "./lanes.ts";
import { closingLine, row } from "./report.ts";
import { runLanes } from "./run-lanes.ts";
import { tallyTests } from "./tally.ts";

const folder = mkdtempSync(join(tmpdir(), "check-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a test run passes only if tests ran and none failed", () => {
  it.each([
    ["all passed", true, { numPassedTests: 7, numFailedTests: 0 }, { passed: 7, failed: 0 }],
    ["some failed", false, { numPassedTests: 5, numFailedTests: 2 }, { passed: 5, failed: 2 }],
    ["a file could not be loaded", false, { numPassedTests: 7, numFailedTests: 0 }, { passed: 7, failed: 1 }],
    ["nothing ran", true, { numPassedTests: 0, numFailedTests: 0 }, { passed: 0, failed: 1 }],
    ["there is no report", true, undefined, { passed: 0, failed: 1 }],
  ])("%s", (_case, runPassed, report, tally) => {
    const file = join(folder, "report.json");
    rmSync(file, { force: true });
    if (report) writeFileSync(file, JSON.stringify(report));
    expect(tallyTests(runPassed, file)).toEqual(tally);
  });

  it("rejects a report of another shape", () => {
    const file = join(folder, "other.json");
    writeFileSync(file, "{}");
    expect(() => tallyTests(true, file)).toThrow("not a JSON report of vitest");
  });
});

describe("the report", () => {
  const passed = { script: "types", passed: true, milliseconds: 12_345, output: "" };
  const failed = { script: "lint", passed: false, milliseconds: 456, output: "src/a.ts:1:1" };

  it("prints one line per gate", () => {
    expect([row(passed), row(failed)]).toEqual(["passed    12.3 s  pnpm types", "FAILED     0.5 s  pnpm lint"]);
  });

  it("ends with the count of tests and gates, each gate counted as one", () => {
    expect(closingLine([passed, failed, passed], { passed: 40, failed: 3 })).toBe("42 passed, 4 failed");
  });
});

it("runs lanes in parallel, and the scripts of a lane in order", async () => {
  const log: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const results = await runLanes([["slow"], ["one", "two"]], async (script) => {
    log.push(script);
    if (script === "two") release();
    if (script === "slow") await released;
    return script;
  });
  expect(log).toEqual(["slow", "one", "two"]);
  expect(results).toEqual(["slow", "one", "two"]);
});

it("a gate that cannot be started fails with the reason", async () => {
  const result = await runGate("lint", join(folder, "nowhere"));
  expect(result.passed).toBe(false);
  expect(result.output).toContain("ENOENT");
});

it("a gate that does not end fails with the reason", async () => {
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ scripts: { hang: "node --eval 'setInterval(() => {}, 1000)'" } }),
  );
  const result = await runGate("hang", folder, 0.02);
  expect(result.passed).toBe(false);
  expect(result.output).toContain("The gate was ended because it still ran after 0.02 minutes.");
});

it("CONTRIBUTING.md lists every gate, and no other", () => {
  const page = readFileSync(new URL("../../../CONTRIBUTING.md", import.meta.url), "utf8");
  const [, table = ""] = /\| gate \|.*\n(?:\|-.*\n)((?:\|.*\n)+)/.exec(page) ?? [];
  const listed = [...table.matchAll(/^\| `pnpm (.*?)` \|/gm)].map(([, script]) => script);
  expect(listed.sort()).toEqual([...lanes.flat(), "test"].sort());
});
