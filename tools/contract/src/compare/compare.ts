import { type Fact, kindOf, nameOf, type Path, parentOf, type Value } from "../facts/facts.ts";
import { daysBetween } from "../model/calendar.ts";
import { type Place, startOf } from "../model/finding.ts";
import type { ChangeRuleId } from "./change-rules.ts";
import { rejectsAbsence } from "./constraints.ts";
import { changedTexts } from "./guarantees.ts";
import { classify, type Difference, keyOf, kindRules } from "./kind-rules.ts";

/** The input of a comparison: two lists of facts, and today's date (YYYY-MM-DD). */
export interface Comparison {
  readonly released: readonly Fact[];
  readonly current: readonly Fact[];
  readonly today: string;
}

export interface Change {
  readonly rule: ChangeRuleId;
  readonly path: Path;
  /** The property that changed, unless the whole element was added or removed. */
  readonly property?: string;
  readonly value?: string;
  /** One sentence. */
  readonly what: string;
  /** Where the current contract says it. A removed element is reported at the element that contained it. */
  readonly place: Place;
}

type Element = ReadonlyMap<string, Fact>;
type Elements = ReadonlyMap<string, Element>;
interface Sides {
  readonly own: Elements;
  readonly other: Elements;
}

export function compare({ released, current, today }: Comparison): readonly Change[] {
  const [before, after] = [byElement(released), byElement(current)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was === undefined) return is === undefined ? [] : addition(is, { own: after, other: before });
    if (is === undefined) return removal(was, { own: before, other: after });
    return [...propertyChanges(was, is, before, after), ...sunsetTooSoon(was, is, today)];
  });
}

function byElement(facts: readonly Fact[]): Elements {
  const elements = new Map<string, Map<string, Fact>>();
  for (const fact of facts) {
    const found = elements.get(fact.path) ?? new Map<string, Fact>();
    elements.set(fact.path, found.set(keyOf(fact), fact));
  }
  return elements;
}

function addition(element: Element, sides: Sides): readonly Change[] {
  const { path, place } = inclusion(element);
  if (reportedByOwner(element, sides, "added")) return [];
  const renamed = sameNumber(element, sides);
  if (renamed !== undefined) {
    return [{ rule: "field-renamed", path, what: `${nameOf(renamed)} was renamed to ${nameOf(path)}.`, place }];
  }
  const rule = addedRule(element, sides.other);
  return rule === undefined ? [] : [{ rule, path, what: `${nameOf(path)} was added.`, place }];
}

function removal(element: Element, sides: Sides): readonly Change[] {
  // A renamed field is reported once, under the new name.
  if (reportedByOwner(element, sides, "removed") || sameNumber(element, sides) !== undefined) return [];
  const { path } = inclusion(element);
  const { removed: rule } = kindRules[kindOf(path)];
  if (rule === undefined) return [];
  const [owner] = ownersOf(element, sides.own).flatMap((each) => sides.other.get(each) ?? []);
  const place = owner === undefined ? startOf("proto") : inclusion(owner).place;
  return [{ rule, path, what: `${nameOf(path)} was removed.`, place }];
}

function inclusion(element: Element): Fact {
  const found = element.get("in");
  if (found === undefined) throw new TypeError("An element has no fact `in`.");
  return found;
}

function ownersOf(element: Element, elements: Elements): readonly string[] {
  const owner = String(inclusion(element).value);
  const found = elements.get(owner);
  return found === undefined ? [] : [owner, ...ownersOf(found, elements)];
}

/** Reports whether an element that contains this one was added or removed as a whole, which is reported instead. */
function reportedByOwner(element: Element, { own, other }: Sides, event: "added" | "removed"): boolean {
  return ownersOf(element, own).some((owner) => {
    const found = own.get(owner);
    return found !== undefined && !other.has(owner) && kindRules[kindOf(inclusion(found).path)][event] !== undefined;
  });
}

/** Returns the field that has the number of this one in the other contract, unless both contracts have that field. */
function sameNumber(field: Element, { own, other }: Sides): string | undefined {
  const { path, value: owner } = inclusion(field);
  if (kindOf(path) !== "field") return undefined;
  return [...other].find(
    ([candidate, facts]) =>
      !own.has(candidate) &&
      inclusion(facts).value === owner &&
      kindOf(inclusion(facts).path) === "field" &&
      propertyOf(facts, "number") === propertyOf(field, "number"),
  )?.[0];
}

function addedRule(element: Element, released: Elements): ChangeRuleId | undefined {
  const { path, value: owner } = inclusion(element);
  const kind = kindOf(path);
  const required = element.has("required");
  if (kind === "header") {
    const sent = String(owner).endsWith(" request");
    return sent && required && element.has("everyCall") ? "header-required" : "header-added";
  }
  const sent = released.get(String(owner))?.has("sent") === true;
  const mandatory = kind === "field" ? rejectsAbsence(propertiesOf(element)) : kind === "oneof" && required;
  return sent && mandatory ? "required-field-added" : kindRules[kind].added;
}

function propertyChanges(was: Element, is: Element, before: Elements, after: Elements): readonly Change[] {
  const { path, place } = inclusion(is);
  const kind = kindOf(path);
  const directions = { sent: isExchanged(was, "sent", before), received: isExchanged(was, "received", before) };
  const keys = [...new Set([...was.keys(), ...is.keys()])];
  return keys.flatMap((key): readonly Change[] => {
    const [old, now] = [was.get(key), is.get(key)];
    const { property, value } = now ?? old ?? inclusion(is);
    if (property === "in" || JSON.stringify(old?.value) === JSON.stringify(now?.value)) return [];
    if (property === "errors" && isReportedAsReason(path, String(value), old === undefined, before, after)) return [];
    if (property.startsWith("when.") && was.has(errorOf(property)) !== is.has(errorOf(property))) return [];
    const difference = { property, was: old?.value, is: now?.value };
    const rule = classify(kind, { ...difference, ...directions, mandatory: isMandatory(now, is, after) });
    if (rule === undefined) return [];
    const entry = key === property ? {} : { value: String(value) };
    const sibling = [...is.values()].find((fact) => fact.property === property);
    const what = sentence(nameOf(path), rule, difference);
    return [{ rule, path, property, ...entry, what, place: now?.place ?? sibling?.place ?? place }];
  });
}

/** Reports whether a reason of every call is new or gone, which is reported once and not for each operation. */
function isReportedAsReason(
  operation: Path,
  reason: string,
  isAdded: boolean,
  before: Elements,
  after: Elements,
): boolean {
  const [own, other] = isAdded ? [after, before] : [before, after];
  const start = `reason ${parentOf(nameOf(operation))}.`;
  return [...own].some(
    ([path, facts]) =>
      path.startsWith(start) && path.endsWith(`.${reason}`) && facts.has("everyCall") && !other.has(path),
  );
}

function isExchanged(element: Element, direction: "sent" | "received", elements: Elements): boolean {
  const owner = elements.get(String(inclusion(element).value));
  return element.has(direction) || owner?.has(direction) === true;
}

/** Returns the key of the reason whose condition a property is: a new or lost reason is reported instead. */
function errorOf(condition: string): string {
  return condition.replace(/^when\./, "errors ");
}

function isMandatory(now: Fact | undefined, is: Element, after: Elements): boolean {
  if (now?.property !== "headers") return is.has("required");
  return after.get(`header ${parentOf(nameOf(now.path))} request ${now.value}`)?.has("required") === true;
}

function sunsetTooSoon(was: Element, is: Element, today: string): readonly Change[] {
  const sunset = is.get("sunsetOn");
  if (sunset === undefined || was.has("sunsetOn") || daysBetween(today, String(sunset.value)) >= 180) return [];
  const { path, property, value, place } = sunset;
  const what = `${nameOf(path)} is deprecated with the sunset ${value}, less than 180 days after ${today}.`;
  return [{ rule: "sunset-too-soon", path, property, what, place }];
}

function propertyOf(element: Element, property: string): Value | undefined {
  return element.get(property)?.value;
}

function propertiesOf(element: Element): Readonly<Record<string, Value>> {
  return Object.fromEntries([...element.values()].map(({ property, value }) => [property, value]));
}

function sentence(
  name: string,
  rule: ChangeRuleId,
  { property, was, is }: Pick<Difference, "property" | "was" | "is">,
): string {
  const isProse = /^(?:comment|wording|example)$/.test(property);
  if (isProse && rule === "comment-changed") return `The comment of ${name} changed.`;
  if (isProse || property === "remedies") return textSentence(name, property, was, is);
  const label = property.replace(/^rules\./, "constraint ");
  if (was === undefined) return `${name}: ${label} ${print(is)} was added.`;
  if (is === undefined) return `${name}: ${label} ${print(was)} was removed.`;
  return `${name}: ${label} was ${print(was)} and is ${print(is)} now.`;
}

function textSentence(name: string, property: string, was?: Value, is?: Value): string {
  const [gone, added] = changedTexts(was, is).map((texts) => texts.map(print).join(" "));
  const label = property === "remedies" ? "the remedy" : "the promise";
  if (!gone) return `${name}: ${label} ${added} was added.`;
  if (!added) return `${name}: ${label} ${gone} was removed.`;
  return `${name}: ${label} was ${gone} and is ${added} now.`;
}

function print(value: Value | undefined): string {
  return value === true ? "" : JSON.stringify(value);
}
