import { type BuiltProgramOptions, type RunningApp, startBuiltProgram, whenReady } from "@platform-rpc/testbed/app";
import type { RunningProgram } from "@platform-rpc/testbed/processes";
import { onTestFinished } from "vitest";

export interface ProgramOptions extends BuiltProgramOptions {
  /** Registers a function that ends the program. Default: calls it after the test. */
  readonly atEnd?: (end: () => void) => void;
}

/** Starts a built program, as its script does. Passes it `environment`, with free ports by default. */
export function runProgram(
  name: "main" | "demo",
  environment: Readonly<Record<string, string>>,
  { atEnd = onTestFinished, ...options }: ProgramOptions = {},
): RunningProgram {
  const program = startBuiltProgram(name, environment, options);
  atEnd(() => program.signal("SIGKILL"));
  return program;
}

export function runApp(environment: Readonly<Record<string, string>>, options?: ProgramOptions): Promise<RunningApp> {
  return whenReady(runProgram("main", environment, options));
}
