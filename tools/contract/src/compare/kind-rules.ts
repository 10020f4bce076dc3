import type { Kind, Value } from "../facts/facts.ts";
import type { ChangeRuleId } from "./change-rules.ts";
import { loosens } from "./constraints.ts";
import { changedTexts, promisesLess } from "./guarantees.ts";

/** A property that differs, or one value of a property that has many. Undefined: not set. */
export interface Difference {
  readonly property: string;
  readonly was: Value | undefined;
  readonly is: Value | undefined;
  /** Whether callers sent the message before, alone or in a request. */
  readonly sent: boolean;
  /** Whether callers received it before. */
  readonly received: boolean;
  /** Whether another part of the contract makes what was added mandatory. */
  readonly mandatory: boolean;
}

type Classify = (difference: Difference) => ChangeRuleId | undefined;

interface KindRules {
  /** Undefined: the parts of the element are reported instead. */
  readonly added: ChangeRuleId | undefined;
  readonly removed: ChangeRuleId | undefined;
  /** By property. `x.*` matches the properties that start with `x.`. */
  readonly properties: Readonly<Record<string, Classify>>;
}

const ignored: Classify = () => undefined;

const always =
  (rule: ChangeRuleId): Classify =>
  () =>
    rule;

const toggled =
  (on: ChangeRuleId, off: ChangeRuleId): Classify =>
  ({ is }) =>
    is === undefined ? off : on;

const ranked =
  (order: readonly Value[], lowered: ChangeRuleId, raised: ChangeRuleId): Classify =>
  ({ was = "", is = "" }) =>
    order.indexOf(is) < order.indexOf(was) ? lowered : raised;

const limit: Classify = ({ was, is }) => {
  if (was === undefined) return "limit-added";
  if (is === undefined) return "limit-removed";
  return is < was ? "limit-lowered" : "limit-raised";
};

/** An operation that does not set a limit has the lower one of its package. */
const bodyLimit: Classify = (difference) => {
  if (difference.was === undefined) return "limit-raised";
  return difference.is === undefined ? "limit-lowered" : limit(difference);
};

/** Requests must still be accepted, and responses must keep their promise. Of constraints that cannot be compared, none is looser. */
const constraint: Classify = ({ property, was, is, sent, received }) => {
  if (sent && !loosens(property, was, is)) return "constraint-tightened";
  if (received && !loosens(property, is, was)) return "promise-weakened";
  return sent ? "constraint-loosened" : "promise-strengthened";
};

/**
 * Words are no facts: in other words, a text may promise the same. It promises less where a number, a guarantee, a whole remedy or the
 * whole condition of a failure is gone. A text that is only added promises more.
 */
const texts =
  (isPromise: boolean): Classify =>
  ({ was, is }) => {
    const [gone, added] = changedTexts(was, is);
    if (gone.length === 0) return "comment-changed";
    const [before, after] = [gone.join(" "), added.join(" ")];
    const isFewer = typeof was === "object" && typeof is === "object" ? is.length < was.length : is === undefined;
    if ((isPromise && isFewer) || promisesLess(before, after)) return "guarantee-weakened";
    return isPromise || promisesLess(before, "") ? "guarantee-reworded" : "comment-changed";
  };

const promises = texts(true);
const prose = texts(false);
const deprecated = toggled("deprecation-announced", "deprecation-withdrawn");
/** `wording` are texts that explain. */
const documented = { comment: prose, wording: prose, example: always("comment-changed"), deprecated };
const exchanged = { sent: ignored, received: ignored };
const typeChanged = always("operation-type-changed");
const detail = toggled("reason-detail-added", "reason-detail-removed");
const codeChanged = always("reason-code-changed");
const extensionChanged = always("extension-changed");

/** These have many values, of which each is compared on its own. */
const lists: ReadonlySet<string> = new Set([
  "requiredScopes",
  "errors",
  "documentedValues",
  "details",
  // Of operations and reasons.
  "headers",
]);

/** Returns what identifies a fact of an element: its property and, in a list, its value. */
export function keyOf({ property, value }: { readonly property: string; readonly value: Value }): string {
  return lists.has(property) ? `${property} ${value}` : property;
}

export const kindRules: Readonly<Record<Kind, KindRules>> = {
  package: { added: "package-added", removed: "package-removed", properties: { ...documented, "limits.*": limit } },
  headers: { added: undefined, removed: undefined, properties: exchanged },
  header: {
    added: "header-added",
    removed: "header-removed",
    properties: {
      ...documented,
      everyCall: ({ is, sent, mandatory }) => {
        if (is === undefined) return "header-removed";
        return sent && mandatory ? "header-required" : "header-added";
      },
      required: ({ is, sent }) => {
        if (sent) return is === undefined ? "header-relaxed" : "header-required";
        return is === undefined ? "header-removed" : "header-added";
      },
      const: constraint,
      pattern: constraint,
      min_len: constraint,
      max_len: constraint,
    },
  },
  service: { added: undefined, removed: undefined, properties: documented },
  operation: {
    added: "operation-added",
    removed: "operation-removed",
    properties: {
      ...documented,
      request: typeChanged,
      response: typeChanged,
      visibility: ranked(["unspecified", "private", "public"], "visibility-narrowed", "visibility-widened"),
      requiredScopes: toggled("scope-added", "scope-removed"),
      retrySafety: ranked(
        ["unspecified", "none", "with_key", "idempotent"],
        "retry-safety-lowered",
        "retry-safety-raised",
      ),
      deprecatedOn: ({ was, is }) => (was === undefined || is === undefined ? undefined : "deprecation-announced"),
      // Adding or removing a sunset is reported as the change of the deprecation.
      sunsetOn: ({ was, is }) => {
        if (was === undefined || is === undefined) return undefined;
        return is < was ? "sunset-brought-forward" : "sunset-put-off";
      },
      errors: toggled("operation-reason-added", "operation-reason-removed"),
      "when.*": promises,
      "rate.*": limit,
      bodyBytes: bodyLimit,
      headers: ({ is, mandatory }) => {
        if (is === undefined) return "header-removed";
        return mandatory ? "header-required" : "header-added";
      },
    },
  },
  message: {
    added: "message-added",
    removed: "message-removed",
    properties: { ...documented, ...exchanged, "rules.*": constraint },
  },
  field: {
    added: "field-added",
    removed: "field-removed",
    properties: {
      ...documented,
      number: always("field-renumbered"),
      type: always("field-type-changed"),
      presence: always("presence-changed"),
      oneof: always("presence-changed"),
      documentedValues: toggled("value-added", "value-removed"),
      secret: toggled("secret-marked", "secret-unmarked"),
      "rules.*": constraint,
    },
  },
  oneof: {
    added: "oneof-added",
    removed: "oneof-removed",
    properties: { required: constraint },
  },
  enum: { added: "enum-added", removed: "enum-removed", properties: documented },
  value: {
    added: "enum-value-added",
    removed: "enum-value-removed",
    properties: { ...documented, number: always("enum-value-renumbered") },
  },
  reason: {
    added: "reason-added",
    removed: "reason-removed",
    properties: {
      ...documented,
      number: always("enum-value-renumbered"),
      code: codeChanged,
      httpStatus: codeChanged,
      remedies: promises,
      details: detail,
      headers: detail,
      // Compared as the errors of each operation.
      everyCall: ignored,
      neverSent: toggled("reason-removed", "reason-added"),
    },
  },
  extension: {
    added: "extension-added",
    removed: "extension-changed",
    properties: { ...documented, number: extensionChanged, extendee: extensionChanged, type: extensionChanged },
  },
};

/** Returns the rule of a difference. @throws Error when no rule covers the property, because a change would go unnoticed. */
export function classify(kind: Kind, difference: Difference): ChangeRuleId | undefined {
  const { property } = difference;
  const { properties } = kindRules[kind];
  const rule = properties[property] ?? properties[property.replace(/\..*/, ".*")];
  if (rule === undefined)
    throw new Error(`No rule compares the property ${property} of ${kind}. Add one to compare/kind-rules.ts.`);
  return rule(difference);
}
