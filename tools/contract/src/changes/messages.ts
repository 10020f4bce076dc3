import type { Lock, LockedField, LockedMessage } from "../lock/schema.ts";
import { type Change, change, type Subject } from "./change.ts";
import { constraintChanges, refusesAbsence } from "./constraints.ts";
import { differences, pair } from "./pair.ts";

export function* messageChanges(released: Lock, today: Lock): Generator<Change> {
  const { removed, added, kept } = pair(released.messages, today.messages);
  for (const [name] of removed) yield change("message-removed", ["messages", name], `${name} is gone`);
  for (const [name] of added) yield change("message-added", ["messages", name], `${name} is new`);
  for (const { name, was, is } of kept) {
    yield* memberChanges(name, was, is);
    yield* constraintChanges(["messages", name], name, was.constraints, is.constraints);
    if (was.comment !== is.comment) {
      yield change("comment-changed", ["messages", name], `The comment of ${name} or of one of its fields changed`);
    }
  }
}

function* memberChanges(message: string, was: LockedMessage, is: LockedMessage): Generator<Change> {
  const { removed, added, kept } = pair(was.fields, is.fields);
  const renamed = new Set<string>();
  for (const [name, before] of removed) {
    const successor = added.find(([, field]) => field.number === before.number);
    if (successor === undefined) {
      yield change("field-removed", ["messages", message, name], `${message}.${name} is gone`);
      continue;
    }
    const [newName, field] = successor;
    const subject: Subject = ["messages", message, newName];
    renamed.add(newName);
    yield change("field-renamed", subject, `${message}.${name} was renamed to ${newName}`);
    yield* fieldChanges(subject, `${message}.${newName}`, before, field);
  }
  for (const [name, { constraints }] of added) {
    if (renamed.has(name)) continue;
    const rule = is.sent && refusesAbsence(constraints) ? "required-field-added" : "field-added";
    yield change(rule, ["messages", message, name], `${message}.${name} is new`);
  }
  for (const { name, was: before, is: after } of kept) {
    yield* fieldChanges(["messages", message, name], `${message}.${name}`, before, after);
  }
}

function* fieldChanges(subject: Subject, name: string, was: LockedField, is: LockedField): Generator<Change> {
  if (was.number !== is.number) {
    yield change("field-renumbered", subject, `${name} had the number ${was.number} and has ${is.number} now`);
  }
  if (was.type !== is.type) {
    yield change("field-type-changed", subject, `${name} was ${was.type} and is ${is.type} now`);
  }
  if (was.presence !== is.presence) {
    const [before, after] = [was.presence, is.presence].map((each) =>
      each === "always" ? "always there" : "optional",
    );
    yield change("presence-changed", subject, `${name} was ${before} and is ${after} now`);
  }
  yield* constraintChanges(subject, name, was.constraints, is.constraints);
  const values = differences(was.documentedValues, is.documentedValues);
  for (const value of values.removed) {
    yield change("value-removed", subject, `"${value}" is no longer among the documented values of ${name}`);
  }
  for (const value of values.added) {
    yield change("value-added", subject, `"${value}" is new among the documented values of ${name}`);
  }
}
