import type { Kind, Value } from "../lock/lock.ts";
import type { ChangeRuleId } from "./change-rules.ts";
import { loosens } from "./constraints.ts";

/** A property that differs, or one entry of a property that is a list. Undefined: not set. */
export interface Difference {
  readonly property: string;
  readonly was: Value | undefined;
  readonly is: Value | undefined;
  /** Whether callers sent the message before, alone or in a request. */
  readonly sent: boolean;
  /** Whether another part of the contract makes what was added mandatory. */
  readonly mandatory: boolean;
}

type Classify = (difference: Difference) => ChangeRuleId | undefined;

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

const constraint: Classify = ({ property, was, is, sent }) => {
  const looser = loosens(property, was, is);
  if (sent) return looser ? "constraint-loosened" : "constraint-tightened";
  return looser ? "promise-weakened" : "promise-strengthened";
};

/** The rule for response headers, whose constraints are guarantees to callers. */
const headerConstraint: Classify = (difference) =>
  constraint({ ...difference, property: `header.${difference.property}` });

const documented: Readonly<Record<string, Classify>> = {
  comment: always("comment-changed"),
  deprecated: toggled("deprecation-announced", "deprecation-withdrawn"),
};

/** The rule for each difference, by section and property. `x.*` matches the properties that start with `x.`. */
const propertyRules: Readonly<Record<Kind, Readonly<Record<string, Classify>>>> = {
  packages: { ...documented, "limits.*": limit },
  headers: {
    ...documented,
    everyCall: ({ is, sent, mandatory }) => {
      if (is === undefined) return "header-removed";
      return sent && mandatory ? "header-required" : "header-added";
    },
    required: ({ is, sent }) => {
      if (sent) return is === undefined ? "header-relaxed" : "header-required";
      return is === undefined ? "header-removed" : "header-added";
    },
    const: headerConstraint,
    pattern: headerConstraint,
    min_len: headerConstraint,
    max_len: headerConstraint,
  },
  services: documented,
  operations: {
    ...documented,
    request: always("operation-type-changed"),
    response: always("operation-type-changed"),
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
    "rate.*": limit,
    headers: ({ is, mandatory }) => {
      if (is === undefined) return "header-removed";
      return mandatory ? "header-required" : "header-added";
    },
  },
  messages: { ...documented, sent: () => undefined, received: () => undefined, "rules.*": constraint },
  fields: {
    ...documented,
    number: always("field-renumbered"),
    type: always("field-type-changed"),
    presence: always("presence-changed"),
    oneof: always("presence-changed"),
    documentedValues: toggled("value-added", "value-removed"),
    secret: always("secret-changed"),
    "rules.*": constraint,
  },
  oneofs: { required: toggled("constraint-tightened", "constraint-loosened") },
  enums: documented,
  values: {
    ...documented,
    number: always("enum-value-renumbered"),
    code: always("reason-code-changed"),
    httpStatus: always("reason-code-changed"),
    details: toggled("reason-detail-added", "reason-detail-removed"),
    headers: toggled("reason-detail-added", "reason-detail-removed"),
    // Compared as the errors of each operation.
    everyCall: () => undefined,
    neverSent: toggled("reason-removed", "reason-added"),
  },
  extensions: {
    ...documented,
    number: always("extension-changed"),
    extendee: always("extension-changed"),
    type: always("extension-changed"),
  },
};

/** Returns the rule of a difference. @throws Error when no rule covers the property, because a change would go unnoticed. */
export function classify(kind: Kind, difference: Difference): ChangeRuleId | undefined {
  const { property } = difference;
  const rules = propertyRules[kind];
  const rule = rules[property] ?? rules[property.replace(/\..*/, ".*")];
  if (rule === undefined)
    throw new Error(`No rule compares the property ${property} of ${kind}. Add one to compare/property-rules.ts.`);
  return rule(difference);
}
