import { type Entry, type Kind, kinds, type Lock, type Value } from "../lock/lock.ts";
import { daysBetween } from "../model/calendar.ts";
import type { Change } from "./change.ts";
import { classify, type Difference } from "./property-rules.ts";
import { addedRule, isReason, removedRule, renamedFrom } from "./subject-rules.ts";

/** The input of a comparison: two locks, and today's date (YYYY-MM-DD). */
export interface Comparison {
  readonly released: Lock;
  readonly current: Lock;
  readonly today: string;
}

/** Returns the differences between a released and the current lock, each with its rule. */
export function compareLocks(comparison: Comparison): readonly Change[] {
  return kinds.flatMap((kind) => {
    const { released, current } = comparison;
    const names = [...new Set([...Object.keys(released[kind]), ...Object.keys(current[kind])])].sort();
    return names.flatMap((name) => subjectChanges(comparison, kind, name));
  });
}

function subjectChanges(comparison: Comparison, kind: Kind, name: string): readonly Change[] {
  const { released, current } = comparison;
  const was = released[kind][name];
  const is = current[kind][name];
  if (was !== undefined && is !== undefined) return propertyChanges(comparison, kind, name, was, is);
  const [lock, other] = was === undefined ? [current, released] : [released, current];
  // The subject that contains it was added or removed as a whole, and is reported instead.
  if (parentsOf(kind, name, lock).some(([section, parent]) => other[section][parent] === undefined)) return [];
  const previous = was === undefined && kind === "fields" ? renamedFrom(comparison, name) : undefined;
  if (previous !== undefined) {
    const what = `${previous} was renamed to ${name}.`;
    return [{ rule: "field-renamed", kind, name, property: undefined, what }];
  }
  const rule = was === undefined ? addedRule(released, kind, name, is ?? {}) : removedRule(comparison, kind, name, was);
  if (rule === undefined) return [];
  return [{ rule, kind, name, property: undefined, what: `${name} was ${was === undefined ? "added" : "removed"}.` }];
}

/** Returns the package of a subject, and the message, enum or service that contains it. */
function parentsOf(kind: Kind, name: string, lock: Lock): readonly (readonly [Kind, string])[] {
  if (kind === "packages") return [];
  const packages = Object.keys(lock.packages).filter(
    (found) => /^[. ]/.test(name.slice(found.length)) && name.startsWith(found),
  );
  const parents: readonly (readonly [Kind, string])[] = packages.map((found) => ["packages", found]);
  const containers: Partial<Record<Kind, Kind>> = { fields: "messages", oneofs: "messages", values: "enums" };
  const container = containers[kind];
  return container === undefined ? parents : [...parents, [container, name.slice(0, name.lastIndexOf("."))]];
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

function propertyChanges(
  comparison: Comparison,
  kind: Kind,
  name: string,
  before: Entry,
  after: Entry,
): readonly Change[] {
  const { released, current } = comparison;
  const parent = name.slice(0, name.lastIndexOf("."));
  const [was, is] = kind === "operations" ? withEveryCall(comparison, parent, before, after) : [before, after];
  const { sent: wasSent } = released.messages[kind === "messages" ? name : parent] ?? {};
  const sent = wasSent === true || name.includes(" request ");
  const changes = [...propertyDifferences(was, is)].flatMap((difference): readonly Change[] => {
    const { property } = difference;
    const { required } = property === "headers" ? (current.headers[`${parent} request ${difference.is}`] ?? {}) : after;
    const mandatory = required === true;
    const rule = classify(kind, { ...difference, sent, mandatory });
    return rule === undefined ? [] : [{ rule, kind, name, property, what: sentence(name, difference) }];
  });
  return [...changes, ...sunsetChanges(comparison, name, before, after)];
}

/** Reports a newly announced sunset less than 180 days ahead. */
function sunsetChanges({ today }: Comparison, name: string, was: Entry, is: Entry): readonly Change[] {
  const { sunsetOn } = is;
  const { sunsetOn: announced } = was;
  if (sunsetOn === undefined || announced !== undefined || daysBetween(today, String(sunsetOn)) >= 180) return [];
  const what = `${name} is deprecated with the sunset ${sunsetOn}, less than 180 days after ${today}.`;
  return [{ rule: "sunset-too-soon", kind: "operations", name, property: "sunsetOn", what }];
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
