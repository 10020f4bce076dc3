import type { ChangeRuleId } from "./change-rules.ts";

/** What changed: the path of an entry in the lock, from the outside in. */
export type Subject = readonly [
  section: "operations" | "messages" | "reasons" | "limits" | "headers",
  ...rest: string[],
];

/** One difference between the released contract and today's. */
export interface Change {
  readonly rule: ChangeRuleId;
  readonly subject: Subject;
  /** What was done, in one sentence without its full stop. */
  readonly what: string;
}

export function change(rule: ChangeRuleId, subject: Subject, what: string): Change {
  return { rule, subject, what };
}
