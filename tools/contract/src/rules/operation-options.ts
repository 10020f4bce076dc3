import type { DescMethod, FileRegistry, JsonObject } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { methodsOf, operationName, ownFiles, placeOf } from "../descriptors.ts";
import { optionOf } from "../openapi/option.ts";
import type { Rule } from "./rule.ts";

const extension = "platform.options.v1.operation";

/** A rule about one operation: undefined, or what is wrong with it. */
function operationRule(
  words: Pick<Rule, "id" | "purpose" | "fix">,
  fault: (method: DescMethod, option: JsonObject) => string | undefined,
): Rule {
  return {
    ...words,
    *offences({ contract }) {
      for (const method of operations(contract)) {
        const wrong = fault(method, optionOf(method, extension, contract));
        if (wrong !== undefined) yield { place: placeOf(method), message: `${operationName(method)} ${wrong}` };
      }
    },
  };
}

function operations(contract: FileRegistry): readonly DescMethod[] {
  return methodsOf(ownFiles(contract));
}

export const operationVisibility = operationRule(
  {
    id: "operation-visibility",
    purpose: "Every operation says who may see it: the listener and the published packages go by that.",
    fix: "Set `visibility` in the option (platform.options.v1.operation): VISIBILITY_PUBLIC in platform.v1, VISIBILITY_PRIVATE in platform.internal.v1.",
  },
  (_method, { visibility }) =>
    visibility === undefined ? "is of no visibility: set visibility to VISIBILITY_PUBLIC or _PRIVATE" : undefined,
);

export const operationScopes = operationRule(
  {
    id: "operation-scopes",
    purpose: "Every operation names the scopes that it requires: what requires none is open to every token.",
    fix: "List at least one scope in `required_scopes`, in the form `area.resource:verb`.",
  },
  (_method, { requiredScopes }) => {
    if (!Array.isArray(requiredScopes) || requiredScopes.length === 0) {
      return "names no required scope, but every call needs a grant: set required_scopes";
    }
    const odd = requiredScopes.find((scope) => !/^[a-z][a-z_.]*:[a-z_]+$/.test(String(scope)));
    return odd === undefined ? undefined : `requires the scope "${odd}", which has not the form area.resource:verb`;
  },
);

export const operationRetrySafety = operationRule(
  {
    id: "operation-retry-safety",
    purpose: "Every operation says whether a lost answer may be asked for again: clients retry by it.",
    fix: "Set `retry_safety`: IDEMPOTENT if the same request takes effect once, WITH_KEY if it does so with an Idempotency-Key, otherwise NONE.",
  },
  (_method, { retrySafety }) =>
    retrySafety === undefined ? "leaves open how it may be retried: set retry_safety" : undefined,
);

export const operationIdempotency = operationRule(
  {
    id: "operation-idempotency",
    purpose: "Our retry safety and protobuf's idempotency_level say the same: other tools read only the latter.",
    fix: "Write `option idempotency_level = IDEMPOTENT;` on operations with RETRY_SAFETY_IDEMPOTENT, and on no others.",
  },
  ({ idempotency }, { retrySafety }) =>
    (retrySafety === "RETRY_SAFETY_IDEMPOTENT") === (idempotency === IdempotencyLevel.IDEMPOTENT)
      ? undefined
      : "contradicts itself: idempotency_level = IDEMPOTENT belongs to RETRY_SAFETY_IDEMPOTENT, and to nothing else",
);

export const operationPostOnly = operationRule(
  {
    id: "operation-post-only",
    purpose:
      "Operations are called by POST only: NO_SIDE_EFFECTS switches Connect GET on, and puts requests into URLs.",
    fix: "Write IDEMPOTENT instead of NO_SIDE_EFFECTS.",
  },
  ({ idempotency }) =>
    idempotency === IdempotencyLevel.NO_SIDE_EFFECTS
      ? "is NO_SIDE_EFFECTS, which switches GET on, and a GET carries its request in the URL: use IDEMPOTENT"
      : undefined,
);

const notice = 180 * 24 * 60 * 60 * 1000;

export const operationDeprecation = operationRule(
  {
    id: "operation-deprecation",
    purpose: "The end of an operation is announced 180 days ahead, in the contract and in the headers of every answer.",
    fix: "Set `deprecated = true` together with `deprecation { deprecated_on, sunset_on }`: days as YYYY-MM-DD, 180 days apart at least.",
  },
  ({ deprecated }, { deprecation }) => {
    if (deprecated !== (deprecation !== undefined))
      return "says in one place only that it is deprecated: say when, too";
    if (typeof deprecation !== "object" || deprecation === null || Array.isArray(deprecation)) return undefined;
    const { deprecatedOn, sunsetOn } = deprecation;
    const time = dayOf(sunsetOn) - dayOf(deprecatedOn);
    return time >= notice ? undefined : "must name two days as YYYY-MM-DD, 180 days apart at least, for its end";
  },
);

function dayOf(day: unknown): number {
  return typeof day === "string" && /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN;
}
