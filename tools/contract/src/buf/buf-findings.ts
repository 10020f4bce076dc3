import { z } from "zod";
import { type Finding, failure } from "../finding.ts";
import type { BufResult } from "./run-buf.ts";

/** Makes buf print each finding as one line of JSON. */
export const asJson = ["--error-format", "json"];

const annotation = z.object({
  path: z.string().default("buf.yaml"),
  start_line: z.number().default(1),
  start_column: z.number().default(1),
  type: z.string(),
  message: z.string(),
});

/**
 * Returns the findings of buf, each with the id of buf's rule.
 *
 * @throws Error with buf's output when buf failed without findings.
 */
export function bufFindings(result: BufResult): readonly Finding[] {
  if (result.ok) return [];
  const findings = result.report.split("\n").flatMap((line) => {
    const parsed = annotation.safeParse(jsonOrNothing(line));
    if (!parsed.success) return [];
    const { path, start_line, start_column, type, message } = parsed.data;
    return failure(`buf:${type}`, { file: path, line: start_line, column: start_column }, message);
  });
  if (findings.length === 0) throw new Error(`buf failed without findings: ${result.report}`);
  return findings;
}

function jsonOrNothing(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
