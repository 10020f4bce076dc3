import { type Entry, type Kind, kinds, type Lock, type Value } from "../lock/lock.ts";
import { parentOf } from "../lock/subjects.ts";
import { daysBetween } from "../model/calendar.ts";
import type { ChangeRuleId } from "./change-rules.ts";
import { rejectsAbsence } from "./constraints.ts";
import { classify, type Difference, kindRules } from "./kind-rules.ts";

/** The input of a comparison: two locks, and today's date (YYYY-MM-DD). */
export interface Comparison {
  readonly released: Lock;
  readonly current: Lock;
  readonly today: string;
}

/** One difference between two locks. */
export interface Change {
  readonly rule: ChangeRuleId;
  /** What changed: a section of the lock and a name in it. */
  readonly kind: Kind;
  readonly name: string;
  /** The property that changed, unless the whole subject was added or removed. */
  readonly property?: string;
  /** The entry of a list that was added or removed. */
  readonly value?: string;
  /** One sentence. */
  readonly what: string;
}

/** Returns the differences between a released and the current lock, each with its rule. */
export function compareLocks(comparison: Comparison): readonly Change[] {
  return kinds.flatMap((kind) => {
    const { released, current } = comparison;
    const names = [...new Set([...Object.keys(released[kind]), ...Object.keys(current[kind])])].sort();
    return names.flatMap((name) => {
      const [was, is] = [released[kind][name], current[kind][name]];
      if (was !== undefined && is !== undefined) return propertyChanges(comparison, kind, name, was, is);
      return subjectChange(comparison, kind, name);
    });
  });
}

/** Reports a subject that only one of the locks has. */
function subjectChange({ released, current }: Comparison, kind: Kind, name: string): readonly Change[] {
  const is = current[kind][name];
  const [lock, other] = is === undefined ? [released, current] : [current, released];
  // The subject that contains it was added or removed as a whole, and is reported instead.
  if (parentsOf(kind, name, lock).some(([section, parent]) => other[section][parent] === undefined)) return [];
  const sameNumber = kind === "fields" ? fieldWithNumberOf(name, lock, other) : undefined;
  if (sameNumber !== undefined) {
    // Reported once, under the new name.
    const what = `${sameNumber} was renamed to ${name}.`;
    return is === undefined ? [] : [{ rule: "field-renamed", kind, name, what }];
  }
  const rule = is === undefined ? removedRule(released, kind, name) : addedRule(released, kind, name, is);
  return rule === undefined
    ? []
    : [{ rule, kind, name, what: `${name} was ${is === undefined ? "removed" : "added"}.` }];
}

function addedRule(released: Lock, kind: Kind, name: string, entry: Entry): ChangeRuleId | undefined {
  const { required, everyCall } = entry;
  const { sent } = released.messages[parentOf(name)] ?? {};
  if (kind === "headers" && name.includes(" request ") && required && everyCall) return "header-required";
  const mandatory = kind === "fields" ? rejectsAbsence(entry) : kind === "oneofs" && required;
  if (sent && mandatory) return "required-field-added";
  return isReason(entry) ? "reason-added" : kindRules[kind].added;
}

function removedRule(released: Lock, kind: Kind, name: string): ChangeRuleId | undefined {
  return isReason(released[kind][name] ?? {}) ? "reason-removed" : kindRules[kind].removed;
}

function isReason({ code }: Entry): boolean {
  return code !== undefined;
}

/** Returns the field of `other` with the number that `name` has in `lock`, unless `lock` also has that field. */
function fieldWithNumberOf(name: string, lock: Lock, other: Lock): string | undefined {
  const { number } = lock.fields[name] ?? {};
  return Object.entries(other.fields).find(
    ([candidate, { number: taken }]) =>
      parentOf(candidate) === parentOf(name) && taken === number && lock.fields[candidate] === undefined,
  )?.[0];
}

const containers: Partial<Record<Kind, Kind>> = { fields: "messages", oneofs: "messages", values: "enums" };

/** Returns the package of a subject, and the message or enum that contains it. */
function parentsOf(kind: Kind, name: string, lock: Lock): readonly (readonly [Kind, string])[] {
  if (kind === "packages") return [];
  const packages = Object.keys(lock.packages).filter(
    (found) => /^[. ]/.test(name.slice(found.length)) && name.startsWith(found),
  );
  const parents: readonly (readonly [Kind, string])[] = packages.map((found) => ["packages", found]);
  const container = containers[kind];
  return container === undefined ? parents : [...parents, [container, parentOf(name)]];
}

function propertyChanges(
  comparison: Comparison,
  kind: Kind,
  name: string,
  before: Entry,
  after: Entry,
): readonly Change[] {
  const { released, current, today } = comparison;
  const parent = parentOf(name);
  const [was, is] = kind === "operations" ? withEveryCall(comparison, parent, before, after) : [before, after];
  const { sent: wasSent } = released.messages[kind === "messages" ? name : parent] ?? {};
  const sent = wasSent === true || name.includes(" request ");
  const changes = [...propertyDifferences(was, is)].flatMap((difference): readonly Change[] => {
    const { property } = difference;
    const { required } = property === "headers" ? (current.headers[`${parent} request ${difference.is}`] ?? {}) : after;
    const rule = classify(kind, { ...difference, sent, mandatory: required === true });
    const entry = Array.isArray(before[property] ?? after[property]) && (difference.is ?? difference.was);
    const value = typeof entry === "string" ? { value: entry } : {};
    return rule === undefined ? [] : [{ rule, kind, name, property, ...value, what: sentence(name, difference) }];
  });
  const { sunsetOn } = after;
  const { sunsetOn: announced } = before;
  if (sunsetOn === undefined || announced !== undefined || daysBetween(today, String(sunsetOn)) >= 180) return changes;
  const what = `${name} is deprecated with the sunset ${sunsetOn}, less than 180 days after ${today}.`;
  return [...changes, { rule: "sunset-too-soon", kind, name, property: "sunsetOn", what }];
}

function* propertyDifferences(was: Entry, is: Entry): Generator<Pick<Difference, "property" | "was" | "is">> {
  for (const property of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const before = was[property];
    const after = is[property];
    if (JSON.stringify(before) === JSON.stringify(after)) continue;
    if (property.startsWith("rules.") || !(Array.isArray(before) || Array.isArray(after))) {
      yield { property, was: before, is: after };
      continue;
    }
    const [old, now] = [listOf(before), listOf(after)];
    for (const value of old) if (!now.includes(value)) yield { property, was: value, is: undefined };
    for (const value of now) if (!old.includes(value)) yield { property, was: undefined, is: value };
  }
}

/** Returns both entries with the reasons of every call added to their errors, except reasons that only one lock has. */
function withEveryCall(
  { released, current }: Comparison,
  owner: string,
  was: Entry,
  is: Entry,
): readonly [Entry, Entry] {
  const [before, after] = [everyCallReasons(released, owner), everyCallReasons(current, owner)];
  const errors = (entry: Entry, own: ReadonlyMap<string, boolean>, other: ReadonlyMap<string, boolean>) => {
    const { errors: listed } = entry;
    const everyCall = [...own].flatMap(([name, always]) => (always && other.has(name) ? [name] : []));
    return { ...entry, errors: [...new Set([...listOf(listed), ...everyCall])].sort() };
  };
  return [errors(was, before, after), errors(is, after, before)];
}

/** Returns the reasons of a package, each with whether every call may fail with it. */
function everyCallReasons({ values }: Lock, owner: string): ReadonlyMap<string, boolean> {
  const reasons = Object.entries(values).filter(([name, value]) => name.startsWith(`${owner}.`) && isReason(value));
  return new Map(
    reasons.map(([name, { everyCall }]) => [name.slice(name.lastIndexOf(".") + 1), everyCall === true] as const),
  );
}

function sentence(name: string, { property, was, is }: Pick<Difference, "property" | "was" | "is">): string {
  if (property === "comment") return `The comment of ${name} changed.`;
  const label = property.replace(/^rules\./, "constraint ");
  if (was === undefined) return `${name}: ${label} ${print(is)} was added.`;
  if (is === undefined) return `${name}: ${label} ${print(was)} was removed.`;
  return `${name}: ${label} was ${print(was)} and is ${print(is)} now.`;
}

function listOf(value: Value | undefined): readonly (string | number | boolean)[] {
  return Array.isArray(value) ? value : [];
}

function print(value: Value | undefined): string {
  return value === true ? "" : JSON.stringify(value);
}
