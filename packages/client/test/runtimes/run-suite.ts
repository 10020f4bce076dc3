import type { Environment } from "./environment.js";
import { allowedPage, foreignPage, insecurePage, reloadedPage } from "./page-suites.js";
import { everywhere } from "./suite.js";
import { type Results, runTests } from "./test-runner.js";

export const suites = { everywhere, allowedPage, reloadedPage, foreignPage, insecurePage };
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
