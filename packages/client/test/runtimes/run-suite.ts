import type { Environment } from "./environment.js";
import { everywhere, foreignPage } from "./suite.js";
import { type Results, runTests } from "./test-runner.js";

export const suites = { everywhere, foreignPage };
export type SuiteName = keyof typeof suites;

/** What a runtime is told to run. */
export interface Order {
  readonly suite: SuiteName;
  readonly environment: Environment;
}

/** Runs in the runtime: the bundle of each runner contains it. */
export function runSuite({ suite, environment }: Order): Promise<Results> {
  return runTests(suites[suite], environment);
}
