import type { Contract, EnumValue, Operation, Reason } from "../model/contract.ts";
import { isPublished, operationRule, type Rule, rulesOver } from "./rule.ts";

/** A value of an enum of reasons. Its name is the one on the wire. */
type ReasonValue = EnumValue & { readonly package: string; readonly published: boolean };

/** Returns the values of every enum of reasons, with or without the option, except the unspecified ones. */
function reasonValues(contract: Contract): readonly ReasonValue[] {
  return [...contract.enums.values()]
    .filter(({ values }) => values.some(({ reason }) => reason !== undefined))
    .flatMap((found) => {
      const owner = { package: found.package, published: isPublished(found, contract) };
      return found.values.map((value) => ({ ...value, ...owner, name: value.localName }));
    })
    .filter(({ number }) => number !== 0);
}

function reasonsOf(contract: Contract): readonly (ReasonValue & Reason)[] {
  return reasonValues(contract).flatMap((value) => (value.reason ? [{ ...value, ...value.reason }] : []));
}

const valueRule = rulesOver(reasonValues);
const reasonRule = rulesOver(reasonsOf);

/** Returns the reasons that an operation may use: a public one those of its own package, a private one all. */
function usableBy(operation: Operation, contract: Contract): ReadonlyMap<string, Reason> {
  const usable = reasonsOf(contract).filter(
    (reason) => reason.package === operation.package || !isPublished(operation, contract),
  );
  return new Map(usable.map((reason) => [reason.name, reason]));
}

/** Callers start a device authorization at an OAuth endpoint (RFC 8628), not by calling the private operation. */
const overOauth = new Set(["StartDeviceAuthorization"]);

const verbs: Readonly<Record<string, string>> = { Get: "get|read|fetch", Put: "put|write|store" };

/** Returns what matches a text that names an operation, as `GetItem` or in words: "read the item". */
function patternOf(method: string): RegExp {
  const [verb = "", ...noun] = method.split(/(?=[A-Z])/);
  const words = `\\b(?:${verbs[verb] ?? verb})(?: (?:the|an?|its|your))? ${noun.join(" ")}\\b`;
  return new RegExp(`\\b${method}\\b|${words}`, "i");
}

/** The private operations of a contract, found once for all reasons. */
const hiddenOperations = new WeakMap<Contract, readonly (Operation & { readonly pattern: RegExp })[]>();

function hiddenIn(contract: Contract) {
  const known = hiddenOperations.get(contract);
  if (known !== undefined) return known;
  const found = [...contract.operations.values()]
    .filter((operation) => !isPublished(operation, contract) && !overOauth.has(operation.method))
    .map((operation) => ({ ...operation, pattern: patternOf(operation.method) }));
  hiddenOperations.set(contract, found);
  return found;
}

export const errorRules: readonly Rule[] = [
  operationRule(
    {
      id: "operation-errors",
      purpose: "Every operation lists its errors, each of them a reason that exists and that its callers know.",
      fix: "List the reasons in `errors` of the option (platform.options.v1.call), each once, without those of every call. Public operations use the reasons of their own package only.",
    },
    function* (operation, contract) {
      const usable = usableBy(operation, contract);
      const names = operation.errors.map(({ reason }) => reason);
      for (const [index, name] of names.entries()) {
        const found = usable.get(name);
        if (found === undefined) yield [`lists the error ${name}, which is not a reason that it may use`, "errors"];
        else if (found.everyCall) yield [`lists the error ${name}, which every call may fail with`, "errors"];
        if (names.indexOf(name) !== index) yield [`lists the error ${name} twice`, "errors"];
      }
      const takesInput = (contract.messages.get(operation.request)?.fields.length ?? 0) > 0;
      if (takesInput && !names.includes("INVALID_FIELD"))
        yield ["has fields, but does not list INVALID_FIELD", "errors"];
    },
  ),
  operationRule(
    {
      id: "operation-headers",
      purpose: "Every header that an operation reads is documented.",
      fix: "Define the header in the option (platform.options.v1.headers) of the package, without `every_call`, or correct the name. Operations with RETRY_SAFETY_WITH_KEY read Idempotency-Key.",
    },
    function* ({ headers, retrySafety, package: name }, contract) {
      const v1 = contract.packages.get(name)?.requestHeaders ?? [];
      const known =
        v1.length > 0 ? v1 : [...contract.packages.values()].flatMap(({ requestHeaders }) => requestHeaders);
      for (const header of headers) {
        const found = known.find((each) => each.name === header);
        if (found === undefined) yield [`reads the header ${header}, which is not defined`, "headers"];
        else if (found.everyCall) yield [`lists the header ${header}, which every call has`, "headers"];
      }
      if ((retrySafety === "with_key") !== headers.includes("Idempotency-Key")) {
        yield [`has a retry_safety that does not match the header Idempotency-Key`, "retrySafety"];
      }
    },
  ),
  valueRule(
    {
      id: "reason-options",
      purpose: "Every error reason has a Connect code, an HTTP status and a message: the server has no other table.",
      fix: "Add the option (platform.options.v1.reason) with `code`, `http_status` (400 to 599) and `message`.",
    },
    function* ({ reason }) {
      if (reason === undefined) {
        yield "has no option";
        return;
      }
      const { code, httpStatus, message } = reason;
      const { httpStatus: status } = reason.optionPlaces;
      if (code === "unspecified") yield "has no code";
      if (!(httpStatus >= 400 && httpStatus <= 599)) yield [`has the HTTP status ${httpStatus}`, status];
      if (message === "") yield "has no message";
    },
  ),
  reasonRule(
    {
      id: "reason-texts",
      purpose: "Every public reason has a page that explains what happened, why, and what to do.",
      fix: "Set `title` (without a full stop), `causes` and `remedies`. They and `message` are whole sentences.",
    },
    function* ({ published, title, causes, remedies, message }) {
      if (!published) return;
      if (title === "" || title.endsWith(".")) yield ["has no title, or one with a full stop", "title"];
      if (causes.length === 0) yield ["has no causes", "causes"];
      if (remedies.length === 0) yield ["has no remedies", "remedies"];
      for (const [option, texts] of Object.entries({ causes, remedies, message: [message] })) {
        for (const text of texts)
          if (text !== "" && !/[.!?]$/.test(text)) yield [`has a text that is not a sentence: "${text}"`, option];
      }
    },
  ),
  reasonRule(
    {
      id: "reason-remedies",
      purpose: "No text of a public reason sends its callers to a private operation, which they cannot call.",
      fix: "Say what the caller can do: with a public operation, over OAuth, or by asking a person. Do not name the private operation.",
    },
    function* ({ published, comment, message, causes, remedies }, contract) {
      if (!published) return;
      const hidden = hiddenIn(contract);
      for (const [option, texts] of Object.entries({ message: [message, comment], causes, remedies })) {
        const named = hidden.find(({ pattern }) => texts.some((text) => pattern.test(text)));
        if (named !== undefined) yield [`sends the caller to ${named.name}, which is private`, option];
      }
    },
  ),
  reasonRule(
    {
      id: "reason-details",
      purpose: "Every error detail and response header that a reason names is defined.",
      fix: "Name messages by their full name, and headers as in the option (platform.options.v1.headers), without `every_call`.",
    },
    function* ({ details, headers }, contract) {
      for (const detail of details) {
        if (!contract.messages.has(detail)) yield [`names the detail ${detail}, which is not a message`, "details"];
      }
      const known = [...contract.packages.values()].flatMap(({ responseHeaders }) => responseHeaders);
      for (const header of headers) {
        const found = known.some(({ name, everyCall }) => name === header && !everyCall);
        if (!found) yield [`names the header ${header}, which is not defined or in every response`, "headers"];
      }
    },
  ),
  reasonRule(
    {
      id: "reason-used",
      purpose: "Every reason can occur: callers write code for it.",
      fix: "List the reason in the `errors` of an operation, or set `every_call`. Keep a released reason even if it is no longer used, and mark it `deprecated`.",
    },
    function* ({ name, package: owner, published, deprecated, everyCall }, contract) {
      if (everyCall || deprecated) return;
      const users = [...contract.operations.values()].filter((operation) => operation.package === owner || published);
      if (users.some(({ errors }) => errors.some((error) => error.reason === name))) return;
      yield ["is not used: no operation lists it, and it is not set on `every_call`", "code"];
    },
  ),
];
