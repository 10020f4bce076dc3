import { readHistory } from "../history/history-file.ts";
import { figuresOf, outcomesOf } from "../report/outcomes.ts";
import { printResult } from "../report/print.ts";
import { verify } from "../verify/verify.ts";

/** Checks a recorded history again, and prints the result. Returns whether nothing contradicts it. */
export async function checkHistory(path: string): Promise<boolean> {
  const { title, options, calls, stored } = await readHistory(path);
  const verdict = verify(calls, stored, options);
  const figures = [...outcomesOf(calls), ...figuresOf(verdict)];
  printResult(title, { figures, violations: verdict.violations, folder: undefined });
  return verdict.violations.length === 0;
}
