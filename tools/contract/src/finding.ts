import { type Place, startOf } from "./model/place.ts";

export { type Place, startOf } from "./model/place.ts";

/** What a change does to those who rely on the released contract. */
export type ChangeKind = "breaking" | "additive" | "documentation";

/**
 * What the verdict rests on: `fails` must be mended, `noted` only wants to be known, and `unjudged` says that there was
 * nothing to judge by, which is never a pass.
 */
export type Verdict = "fails" | "noted" | "unjudged";

/** One thing that the gate has to say. */
export interface Finding {
  /** The id under which docs/contract-rules.md explains it. */
  readonly rule: string;
  readonly verdict: Verdict;
  readonly place: Place;
  /** What is wrong, who is hurt by it, and what to do instead. */
  readonly message: string;
  /** Of a finding about a change: what kind of change it is. */
  readonly change?: ChangeKind;
}

/** A finding by which a check fails. */
export function failure(rule: string, place: Place, message: string): Finding {
  return { rule, verdict: "fails", place, message };
}

/** A finding that keeps a check from judging at all. */
export function unjudged(rule: string, file: string, message: string): Finding {
  return { rule, verdict: "unjudged", place: startOf(file), message };
}

/** The place of a position in a text. */
export function placeIn(file: string, text: string, position: number): Place {
  const before = text.slice(0, position).split("\n");
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
