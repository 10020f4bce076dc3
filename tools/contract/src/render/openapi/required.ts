import type { Contract, Field, Message } from "../../model/contract.ts";
import { allows } from "./allows.ts";
import { shapeSchema, zeroOf } from "./field-schema.ts";
import { type Direction, wrappedScalar } from "./types.ts";

/**
 * Reports whether a field must be present. In a response every field is required, unless it states when it is absent. In a
 * request a field is required if its rules reject the value that a missing field is read as.
 */
export function isRequired(field: Field, message: Message, direction: Direction, contract: Contract): boolean {
  if (direction === "response") return !hasPresence(field) && !containsItself(field, message, contract);
  const { required } = field.rules;
  if (required === true) return true;
  if (hasPresence(field) || (field.shape === "singular" && field.type.kind === "message")) return false;
  return !allows(
    shapeSchema(field, direction, contract, () => ({})),
    zeroOf(field),
  );
}

/** Reports whether a field may be absent even when default values are emitted. */
function hasPresence(field: Field): boolean {
  const optional =
    field.shape === "optional" || field.oneof !== undefined || wrappedScalar(field.type.name) !== undefined;
  return optional || field.absentUntil !== undefined;
}

/** Reports whether a message contains itself: a required field of that type could never end. */
function containsItself(field: Field, message: Message, contract: Contract, seen: readonly string[] = []): boolean {
  if (field.shape !== "singular" || hasPresence(field) || field.type.kind !== "message") return false;
  if (field.type.name === message.name) return true;
  if (seen.includes(field.type.name)) return false;
  const inner = contract.messages.get(field.type.name)?.fields ?? [];
  return inner.some((each) => containsItself(each, message, contract, [...seen, field.type.name]));
}
