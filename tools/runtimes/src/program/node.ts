import type { ProgramInput } from "./program-input.ts";
import { runProgram } from "./run-program.ts";

// Runs in a Node process with the installed @platform-rpc/client. Reads its input from PROGRAM_INPUT and prints its result as the last line.
const { PROGRAM_INPUT = "" } = process.env;
const input: ProgramInput = JSON.parse(PROGRAM_INPUT);
runProgram(input).then((result) => process.stdout.write(`\n${JSON.stringify(result)}`));
