import type { Lock } from "../lock/schema.ts";
import { type Change, change, type Subject } from "./change.ts";
import { constraintChanges } from "./constraints.ts";
import { pair } from "./pair.ts";

export function* limitChanges(released: Lock, today: Lock): Generator<Change> {
  const { removed, added, kept } = pair(released.limits, today.limits);
  for (const [name] of removed) yield change("limit-removed", ["limits", name], `The limit ${name} is gone`);
  for (const [name, value] of added) {
    yield change("limit-added", ["limits", name], `The limit ${name} is new, and is ${value} by default`);
  }
  for (const { name, was, is } of kept) {
    if (was === is) continue;
    const what = `The default limit ${name} was ${was} and is ${is} now`;
    yield change(is < was ? "limit-lowered" : "limit-raised", ["limits", name], what);
  }
}

export function* headerChanges(released: Lock, today: Lock): Generator<Change> {
  const { removed, added, kept } = pair(released.headers, today.headers);
  for (const [name, { required }] of removed) {
    const what = `The request header ${name} is gone`;
    yield change(required ? "header-relaxed" : "header-removed", ["headers", name], what);
  }
  for (const [name, { required }] of added) {
    const what = `The request header ${name} is new`;
    yield change(required ? "header-required" : "header-added", ["headers", name], what);
  }
  for (const { name, was, is } of kept) {
    const subject: Subject = ["headers", name];
    if (was.required !== is.required) {
      const what = `The request header ${name} is ${is.required ? "required now" : "no longer required"}`;
      yield change(is.required ? "header-required" : "header-relaxed", subject, what);
    }
    yield* constraintChanges(subject, `The request header ${name}`, was.constraints, is.constraints);
  }
}
