/** Where something is written: a path from the root of the workspace, line and column from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export function startOf(file: string): Place {
  return { file, line: 1, column: 1 };
}

/** What a change does to callers who rely on the released contract. `decision`: people must tell, because only words changed. */
export type ChangeKind = "breaking" | "decision" | "additive" | "documentation";

/** `fails` must be fixed, `noted` is for information, `unjudged` means that the check could not run: never a pass. */
export type Verdict = "fails" | "noted" | "unjudged";

export interface Finding {
  /** The id under which docs/contract-rules.md explains it. */
  readonly rule: string;
  readonly verdict: Verdict;
  readonly place: Place;
  readonly message: string;
  readonly change?: ChangeKind;
}

export function failure(rule: string, place: Place, message: string): Finding {
  return { rule, verdict: "fails", place, message };
}

export function unjudged(rule: string, file: string, message: string): Finding {
  return { rule, verdict: "unjudged", place: startOf(file), message };
}
