import { existsSync, readFileSync } from "node:fs";

export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Counts the tests in vitest's JSON report. A run counts as one failure if it has no report or no tests, or if it failed without
 * a failed test, as with a file that cannot be loaded or an unhandled rejection.
 */
export function tallyTests(runPassed: boolean, report: string): Tally {
  const { passed, failed } = existsSync(report) ? countsOf(readFileSync(report, "utf8")) : { passed: 0, failed: 0 };
  const failedUncounted = failed === 0 && (!runPassed || passed === 0);
  return { passed, failed: failedUncounted ? 1 : failed };
}

function countsOf(report: string): Tally {
  const { numPassedTests, numFailedTests }: { numPassedTests?: unknown; numFailedTests?: unknown } = JSON.parse(report);
  if (typeof numPassedTests !== "number" || typeof numFailedTests !== "number")
    throw new Error("The file is not a JSON report of vitest: numPassedTests or numFailedTests is missing.");
  return { passed: numPassedTests, failed: numFailedTests };
}
