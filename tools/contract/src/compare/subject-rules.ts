import type { Entry, Kind, Lock } from "../lock/lock.ts";
import type { ChangeRuleId } from "./change-rules.ts";
import { rejectsAbsence } from "./constraints.ts";

type Locks = { readonly released: Lock; readonly current: Lock };

/** The rule for a new subject of each kind. A service has none: its operations are reported. */
const added: Readonly<Record<Kind, ChangeRuleId | undefined>> = {
  packages: "package-added",
  headers: "header-added",
  services: undefined,
  operations: "operation-added",
  messages: "message-added",
  fields: "field-added",
  oneofs: "oneof-added",
  enums: "enum-added",
  values: "enum-value-added",
  extensions: "extension-added",
};

const removed: Readonly<Record<Kind, ChangeRuleId | undefined>> = {
  packages: "package-removed",
  headers: "header-removed",
  services: undefined,
  operations: "operation-removed",
  messages: "message-removed",
  fields: "field-removed",
  oneofs: "oneof-removed",
  enums: "enum-removed",
  values: "enum-value-removed",
  extensions: "extension-changed",
};

/** Returns the rule of a subject that only the current lock has. */
export function addedRule(released: Lock, kind: Kind, name: string, entry: Entry): ChangeRuleId | undefined {
  const { required, everyCall } = entry;
  const { sent } = released.messages[parentOf(name)] ?? {};
  if (kind === "headers" && name.includes(" request ") && required && everyCall) return "header-required";
  if (kind === "fields" && sent && rejectsAbsence(entry)) return "required-field-added";
  if (kind === "oneofs" && sent && required) return "required-field-added";
  return kind === "values" && isReason(entry) ? "reason-added" : added[kind];
}

/** Returns the rule of a subject that only the released lock has. A renamed field is reported under its new name. */
export function removedRule(locks: Locks, kind: Kind, name: string, entry: Entry): ChangeRuleId | undefined {
  if (kind === "fields" && sameNumber(locks.current, locks.released, name) !== undefined) return undefined;
  return kind === "values" && isReason(entry) ? "reason-removed" : removed[kind];
}

/** Returns the released name of a field whose name is new but whose number is not. */
export function renamedFrom({ released, current }: Locks, name: string): string | undefined {
  return sameNumber(released, current, name);
}

/** Returns the field of `lock` with the number that `name` has in `other`, unless `other` also has that field. */
function sameNumber(lock: Lock, other: Lock, name: string): string | undefined {
  const { number } = other.fields[name] ?? {};
  return Object.keys(lock.fields).find((candidate) => {
    const { number: taken } = lock.fields[candidate] ?? {};
    return parentOf(candidate) === parentOf(name) && taken === number && other.fields[candidate] === undefined;
  });
}

export function isReason({ code }: Entry): boolean {
  return code !== undefined;
}

/** Returns `platform.v1.Item` for `platform.v1.Item.itemId`. */
function parentOf(name: string): string {
  return name.slice(0, name.lastIndexOf("."));
}
