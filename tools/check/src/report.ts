import type { GateResult } from "./gate.ts";
import type { Tally } from "./tally.ts";

/** Returns one line of the table: "passed    12.3 s  pnpm types". */
export function row({ script, passed, milliseconds }: GateResult): string {
  const seconds = (milliseconds / 1000).toFixed(1).padStart(7);
  return `${passed ? "passed" : "FAILED"} ${seconds} s  pnpm ${script}`;
}

/** Returns the output of a failed gate, with a heading. */
export function failureOf({ script, output }: GateResult): string {
  return `\n──── pnpm ${script} ────\n${output}\n`;
}

/** Returns the last line. Each test counts as one, and so does each other gate. */
export function closingLine(gates: readonly GateResult[], tests: Tally): string {
  const passed = gates.filter((gate) => gate.passed).length;
  return `${tests.passed + passed} passed, ${tests.failed + gates.length - passed} failed`;
}
