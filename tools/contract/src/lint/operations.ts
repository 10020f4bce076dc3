import { daysBetween, isDay } from "../model/calendar.ts";
import { operationRule, packageRule, type Rule } from "./rule.ts";

const noticeDays = 180;

export const operationRules: readonly Rule[] = [
  operationRule(
    {
      id: "operation-visibility",
      purpose: "Every operation states who may see it: the listener and the published packages depend on it.",
      fix: "Set `visibility`: VISIBILITY_PUBLIC in platform.v<n>, VISIBILITY_PRIVATE in platform.<area>.v<n>.",
    },
    function* ({ visibility }) {
      if (visibility === "unspecified") yield "has no visibility";
    },
  ),
  operationRule(
    {
      id: "operation-scopes",
      purpose:
        "Every operation requires a scope: without one it is open to every token. Nobody can approve the scopes of the platform's own services, such as `platform.internal:admin`.",
      fix: "List at least one scope in `required_scopes`, in the form `area.resource:verb`. A public operation requires none in the area `platform`.",
    },
    function* ({ requiredScopes, visibility }) {
      if (requiredScopes.length === 0) yield "requires no scope";
      for (const scope of requiredScopes) {
        if (visibility === "public" && /^platform[.:]/.test(scope))
          yield [`is public and requires the scope "${scope}", which nobody can approve`, "requiredScopes"];
        if (!/^[a-z_]+(?:\.[a-z_]+)*:[a-z_]+$/.test(scope)) {
          yield [`requires the scope "${scope}", which is not of the form area.resource:verb`, "requiredScopes"];
        }
      }
    },
  ),
  operationRule(
    {
      id: "operation-retry-safety",
      purpose: "Every operation states whether a call without a response may be retried: clients depend on it.",
      fix: "Set `retry_safety`: IDEMPOTENT if the same request takes effect once, WITH_KEY if it does so with an Idempotency-Key, otherwise NONE.",
    },
    function* ({ retrySafety }) {
      if (retrySafety === "unspecified") yield "has no retry_safety";
    },
  ),
  operationRule(
    {
      id: "operation-idempotency",
      purpose: "`retry_safety` and protobuf's idempotency_level agree: other tools read only the latter.",
      fix: "Write `option idempotency_level = IDEMPOTENT;` on operations with RETRY_SAFETY_IDEMPOTENT, and on no others.",
    },
    function* ({ retrySafety, idempotency }) {
      if ((retrySafety === "idempotent") !== (idempotency === "idempotent")) {
        yield ["has a retry_safety and an idempotency_level that contradict each other", "retrySafety"];
      }
    },
  ),
  operationRule(
    {
      id: "operation-post-only",
      purpose: "Operations are called by POST: NO_SIDE_EFFECTS enables GET, which puts requests into URLs.",
      fix: "Write IDEMPOTENT instead of NO_SIDE_EFFECTS.",
    },
    function* ({ idempotency }) {
      if (idempotency === "no_side_effects") yield "is NO_SIDE_EFFECTS, which enables GET";
    },
  ),
  operationRule(
    {
      id: "operation-deprecation",
      purpose:
        "The end of an operation is announced 180 days ahead, in the contract and in the headers of each response.",
      fix: "Set `deprecated = true` together with `deprecation { deprecated_on, sunset_on }`: calendar days as YYYY-MM-DD, at least 180 days apart, and a sunset after today.",
    },
    function* ({ deprecated, deprecation }, _contract, today) {
      if (deprecated !== (deprecation !== undefined)) {
        yield [
          deprecated ? "is deprecated without a deprecation option" : "has a deprecation but is not deprecated",
          "deprecation",
        ];
      }
      if (deprecation === undefined) return;
      const { deprecatedOn, sunsetOn } = deprecation;
      const wrong = [deprecatedOn, sunsetOn].filter((day) => !isDay(day));
      for (const day of wrong) yield [`names the day "${day}", which is not in the calendar`, "deprecation"];
      if (wrong.length > 0) return;
      if (daysBetween(deprecatedOn, sunsetOn) < noticeDays) {
        yield [`has a sunset ${daysBetween(deprecatedOn, sunsetOn)} days after its deprecation`, "deprecation"];
      }
      if (daysBetween(today, sunsetOn) <= 0)
        yield [`has the sunset ${sunsetOn}, which is not after ${today}`, "deprecation"];
    },
  ),
];

const publicPackage = /^platform\.v[1-9]\d*$/;
const privatePackage = /^platform\.(?!options\.)[a-z]+\.v[1-9]\d*$/;

export const packageRules: readonly Rule[] = [
  operationRule(
    {
      id: "package-visibility",
      purpose: "A package contains public operations or private ones: it is published whole or not at all.",
      fix: "Move public operations to platform.v<n> and private ones to platform.<area>.v<n>, such as platform.internal.v1.",
    },
    function* ({ package: name, visibility }) {
      const wanted = publicPackage.test(name) ? "public" : privatePackage.test(name) ? "private" : undefined;
      if (wanted === undefined) yield `is in the package ${name}, which is neither public nor private`;
      else if (visibility !== "unspecified" && visibility !== wanted) {
        yield [`is ${visibility} in the ${wanted} package ${name}`, "visibility"];
      }
    },
  ),
  packageRule(
    {
      id: "public-imports",
      purpose:
        "Published files import nothing private, and nothing of another version: a version is published and removed as a whole.",
      fix: "Move what both need to the package that imports it, or copy it.",
    },
    function* ({ name, files, published }, { packages }) {
      for (const { file, package: imported, place } of published ? files.flatMap(({ imports }) => imports) : []) {
        if (packages.get(imported)?.published === false) {
          yield [`is published and imports the private ${file}`, place];
        } else if (publicPackage.test(name) && publicPackage.test(imported) && name !== imported) {
          yield [`imports ${file} of another version`, place];
        }
      }
    },
  ),
  packageRule(
    {
      id: "package-limits",
      purpose:
        "Every public package states the default limits and the headers of its calls. A server does not start without one of the limits.",
      fix: "Add the options (platform.options.v1.limits), with every field, and (platform.options.v1.headers) to one file of the package.",
    },
    function* ({ name, limits, requestHeaders, responseHeaders }, { messages }) {
      if (!publicPackage.test(name)) return;
      if (limits === undefined) yield "has no limits";
      const { fields = [] } = messages.get("platform.options.v1.Limits") ?? {};
      for (const { jsonName } of fields)
        if (limits !== undefined && limits[jsonName] === undefined) yield `has no limit ${jsonName}`;
      if (requestHeaders.length === 0 || responseHeaders.length === 0) yield "has no headers";
    },
  ),
];
