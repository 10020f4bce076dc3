import { existsSync, readFileSync } from "node:fs";

export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Counts the tests in vitest's JSON report. A run without a report, without tests, or that failed without a failed test (a
 * file that cannot be loaded, an unhandled rejection) counts as one failure.
 */
export function tallyTests(runPassed: boolean, report: string): Tally {
  const { passed, failed } = existsSync(report) ? countsOf(readFileSync(report, "utf8")) : { passed: 0, failed: 0 };
  const failedUncounted = failed === 0 && (!runPassed || passed === 0);
  return { passed, failed: failedUncounted ? 1 : failed };
}

function countsOf(report: string): Tally {
  const { numPassedTests, numFailedTests }: { numPassedTests?: unknown; numFailedTests?: unknown } = JSON.parse(report);
  if (typeof numPassedTests !== "number" || typeof numFailedTests !== "number")
    throw new Error("This is not a test report.");
  return { passed: numPassedTests, failed: numFailedTests };
}
