import { existsSync } from "node:fs";

/** A program that a test needs and that may not be installed. */
export interface Installed {
  /** The test's title: the name of the program and, if it is missing, why the test is skipped. */
  readonly title: string;
  /** Whether to skip the test. Always false in CI, where a missing program fails the test. */
  readonly skip: boolean;
}

/** Checks for a file. `otherwise` tells developers what to do when it is missing. */
export function installed(name: string, path: string, otherwise: string): Installed {
  const absent = !existsSync(path);
  const { CI } = process.env;
  const skip = absent && CI === undefined;
  return {
    title: absent ? `${name} (${skip ? "skipped" : "missing"}: nothing at ${path}; ${otherwise})` : name,
    skip,
  };
}
