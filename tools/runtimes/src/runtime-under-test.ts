import type { Environment } from "./environment.ts";
import type { Installed } from "./installed.ts";
import type { ProgramInput } from "./program/program-input.ts";
import type { ProgramResult } from "./program/program-result.ts";

/** A runtime in which the program runs. */
export interface RuntimeUnderTest extends Installed {
  /** A part of the runtime's `navigator.userAgent`. */
  readonly userAgent: string;
  /** Whether the runtime supports `redirect: "error"`. */
  readonly takesRedirectError: boolean;
  /** Runs the program and returns its output. */
  run(environment: Environment): Promise<Run>;
}

/** The input and output of a run. */
export interface Run {
  readonly input: ProgramInput;
  readonly result: ProgramResult;
  /** Everything that the program and the runtime printed. */
  readonly printed: string;
}
