import { existsSync } from "node:fs";

/** Something that a test needs and a machine may lack. */
export interface Installed {
  /** For the test's title: what it is or, when it is not there, why the test is skipped. */
  readonly title: string;
  /** Whether to skip. Never in CI, which is there to have everything: what is missing fails there. */
  readonly skip: boolean;
}

/** Looks for a file. `otherwise` tells a developer what to do. */
export function installed(name: string, path: string, otherwise: string): Installed {
  const absent = !existsSync(path);
  const { CI } = process.env;
  const skip = absent && CI === undefined;
  return {
    title: absent ? `${name} (${skip ? "skipped" : "missing"}: nothing at ${path}; ${otherwise})` : name,
    skip,
  };
}
