import type { Constraints } from "../lock/schema.ts";
import { type Change, change, type Subject } from "./change.ts";
import { differences, pair } from "./pair.ts";

type Rule = Constraints[string];

/** Bounds by the direction in which they let more through. */
const upper = /(?:^|\.)(?:maxLen|maxLength|maxBytes|maxItems|maxPairs|maximum|lte|lt)$/;
const lower = /(?:^|\.)(?:minLen|minLength|minBytes|minItems|minPairs|minimum|gte|gt)$/;
const allowed = /(?:^|\.)in$/;
const forbidden = /(?:^|\.)notIn$/;
/** The one rule that loosens the others. */
const ignore = /(?:^|\.)ignore$/;

/**
 * The changes of a field's or header's constraints. What cannot be shown to let everything through that it let through
 * before, such as another pattern, counts as tightened.
 */
export function* constraintChanges(
  subject: Subject,
  name: string,
  released: Constraints,
  today: Constraints,
): Generator<Change> {
  const { removed, added, kept } = pair<Rule>(released, today);
  for (const [rule, value] of removed) {
    const what = `${name} no longer has the constraint ${rule}, which was ${print(value)}`;
    yield change(ignore.test(rule) ? "constraint-tightened" : "constraint-loosened", subject, what);
  }
  for (const [rule, value] of added) {
    const what = `${name} has the new constraint ${rule}: ${print(value)}`;
    yield change(ignore.test(rule) ? "constraint-loosened" : "constraint-tightened", subject, what);
  }
  for (const { name: rule, was, is } of kept) {
    if (print(was) === print(is)) continue;
    const what = `The constraint ${rule} of ${name} was ${print(was)} and is ${print(is)} now`;
    yield change(loosens(rule, was, is) ? "constraint-loosened" : "constraint-tightened", subject, what);
  }
}

function loosens(rule: string, was: Rule, is: Rule): boolean {
  if (typeof was === "number" && typeof is === "number") {
    return (upper.test(rule) && is > was) || (lower.test(rule) && is < was);
  }
  if (Array.isArray(was) && Array.isArray(is)) {
    const { removed, added } = differences(was.map(print), is.map(print));
    return (allowed.test(rule) && removed.length === 0) || (forbidden.test(rule) && added.length === 0);
  }
  return false;
}

/** Whether a field with these constraints must be sent: what is left out arrives as "", 0 or []. */
export function refusesAbsence(constraints: Constraints): boolean {
  const { ignore: ignored } = constraints;
  if (ignored !== undefined) return false;
  return Object.entries(constraints).some(([rule, value]) => {
    if (rule === "required") return value === true;
    // The rules of the members of a list say nothing about an empty list.
    if (/^(?:repeated\.items|map\.(?:keys|values))\./.test(rule)) return false;
    if (lower.test(rule)) return /\.gt$/.test(rule) || Number(value) > 0;
    if (/\.pattern$/.test(rule)) return !new RegExp(String(value), "u").test("");
    if (allowed.test(rule)) return Array.isArray(value) && !value.includes("") && !value.includes(0);
    return /\.(?:const|len|lenBytes|uuid|email|uri)$/.test(rule);
  });
}

function print(value: Rule): string {
  return JSON.stringify(value);
}
