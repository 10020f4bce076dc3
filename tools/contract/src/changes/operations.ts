import type { Lock, LockedOperation } from "../lock/schema.ts";
import { type Change, change, type Subject } from "./change.ts";
import { differences, pair } from "./pair.ts";

/** From what is least safe to retry to what is safest. */
const retrySafeties = ["unspecified", "none", "with_key", "idempotent"];

export function* operationChanges(released: Lock, today: Lock): Generator<Change> {
  const { removed, added, kept } = pair(released.operations, today.operations);
  for (const [name] of removed) yield change("operation-removed", ["operations", name], `${name} is gone`);
  for (const [name] of added) yield change("operation-added", ["operations", name], `${name} is new`);
  for (const { name, was, is } of kept) {
    const subject: Subject = ["operations", name];
    yield* shapeChanges(subject, name, was, is);
    yield* promiseChanges(subject, name, was, is);
    yield* deprecationChanges(subject, name, was, is);
    yield* reasonChanges(subject, name, released, today);
    if (was.comment !== is.comment) yield change("comment-changed", subject, `The comment of ${name} changed`);
  }
}

function* shapeChanges(subject: Subject, name: string, was: LockedOperation, is: LockedOperation): Generator<Change> {
  for (const part of ["path", "request", "response"] as const) {
    if (was[part] === is[part]) continue;
    yield change("operation-type-changed", subject, `The ${part} of ${name} was ${was[part]} and is ${is[part]} now`);
  }
}

function* promiseChanges(subject: Subject, name: string, was: LockedOperation, is: LockedOperation): Generator<Change> {
  if (was.visibility !== is.visibility) {
    const rule = is.visibility === "public" ? "visibility-widened" : "visibility-narrowed";
    yield change(rule, subject, `${name} was ${was.visibility} and is ${is.visibility} now`);
  }
  const scopes = differences(was.requiredScopes, is.requiredScopes);
  for (const scope of scopes.added) yield change("scope-added", subject, `${name} now requires the scope ${scope}`);
  for (const scope of scopes.removed) {
    yield change("scope-removed", subject, `${name} no longer requires the scope ${scope}`);
  }
  if (was.retrySafety !== is.retrySafety) {
    const lowered = retrySafeties.indexOf(is.retrySafety) < retrySafeties.indexOf(was.retrySafety);
    const what = `The retry safety of ${name} was ${was.retrySafety} and is ${is.retrySafety} now`;
    yield change(lowered ? "retry-safety-lowered" : "retry-safety-raised", subject, what);
  }
}

function* deprecationChanges(subject: Subject, name: string, was: LockedOperation, is: LockedOperation) {
  const before = was.deprecation?.sunsetOn;
  const after = is.deprecation?.sunsetOn;
  if (before === after) return;
  if (before === undefined)
    yield change("deprecation-announced", subject, `${name} is deprecated, and ends on ${after}`);
  else if (after === undefined) yield change("deprecation-withdrawn", subject, `${name} is no longer deprecated`);
  else {
    const rule = after < before ? "sunset-brought-forward" : "sunset-put-off";
    yield change(rule, subject, `${name} was to end on ${before}, and now on ${after}`);
  }
}

/**
 * An operation that no longer names a reason has lost it, also when that makes it one of every call: callers read what is
 * named. A reason that came or went as a whole is told once, of the list of reasons, and not of every operation.
 */
function* reasonChanges(subject: Subject, name: string, released: Lock, today: Lock): Generator<Change> {
  const named = differences(released.operations[name]?.errors, today.operations[name]?.errors);
  const possible = differences(reasonsOf(name, released), reasonsOf(name, today));
  const removed = new Set([...named.removed, ...possible.removed]);
  const added = new Set([...named.added, ...possible.added]);
  for (const reason of [...removed].filter((each) => each in today.reasons)) {
    yield change("operation-reason-removed", subject, `${name} no longer says that it fails with ${reason}`);
  }
  for (const reason of [...added].filter((each) => each in released.reasons)) {
    yield change("operation-reason-added", subject, `${name} may now fail with ${reason}`);
  }
}

function reasonsOf(operation: string, { reasons }: Lock): readonly string[] {
  return Object.entries(reasons)
    .filter(([, { operations }]) => operations === "every call" || operations.includes(operation))
    .map(([reason]) => reason);
}
