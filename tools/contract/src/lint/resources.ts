import type { Contract, Message, Operation } from "../model/contract.ts";
import { fieldRule, isPublished, operationRule, type Rule } from "./rule.ts";

const snake = (name: string) => name.replace(/(?<!^)([A-Z])/g, "_$1").toLowerCase();
const fieldOf = (message: Message | undefined, name: string) => message?.fields.find((field) => field.name === name);

/** The verb and the resource of a standard method: `GetItem` is Get of Item. */
function standardMethod({ method }: Operation): readonly [verb: string, resource: string] | undefined {
  const [, verb, resource] = /^(Get|List|Create|Update|Delete)([A-Z]\w*)$/.exec(method) ?? [];
  return verb === undefined || resource === undefined ? undefined : [verb, resource];
}

function messagesOf({ request, response }: Operation, { messages }: Contract) {
  return { request: messages.get(request), response: messages.get(response) };
}

export const resourceRules: readonly Rule[] = [
  operationRule(
    {
      id: "list-pagination",
      purpose:
        "Lists are paginated from the start: a list that outgrows a response cannot be fixed compatibly (AIP-158).",
      fix: "Give the request `uint32 page_size` with an upper bound and `string page_token`, both optional to send, and the response a repeated field and `string next_page_token`.",
    },
    function* (operation, contract) {
      if (standardMethod(operation)?.[0] !== "List" || !isPublished(operation, contract)) return;
      const { request, response } = messagesOf(operation, contract);
      const size = fieldOf(request, "page_size");
      if (size?.type.name !== "uint32" || size.shape === "repeated")
        yield ["is a list without uint32 page_size in its request", size?.place ?? request?.place];
      else if (size.rules["uint32.lte"] === undefined)
        yield ["has a page_size without an upper bound (uint32.lte)", size.place];
      if (Number(size?.rules["uint32.gte"] ?? size?.rules["uint32.gt"] ?? -1) > 0)
        yield ["has a page_size that must be sent", size?.place];
      for (const [message, name] of [
        [request, "page_token"],
        [response, "next_page_token"],
      ] as const) {
        const field = fieldOf(message, name);
        if (field?.type.name !== "string") yield [`is a list without string ${name}`, field?.place ?? message?.place];
      }
      if (!response?.fields.some(({ shape, type }) => shape === "repeated" && type.kind === "message")) {
        yield ["is a list whose response has no repeated message", response?.place];
      }
    },
  ),
  operationRule(
    {
      id: "standard-methods",
      purpose: "Get, Create, Update and Delete work alike on every resource (AIP-131 to 135).",
      fix: "Identify the resource of Get, Update and Delete by `string <resource>_id` in the request, and return it from Get, Create and Update in a field of its type. Give anything else another verb.",
    },
    function* (operation, contract) {
      const [verb, resource = ""] = standardMethod(operation) ?? [];
      if (verb === undefined || verb === "List" || !isPublished(operation, contract)) return;
      const { request, response } = messagesOf(operation, contract);
      const id = `${snake(resource)}_id`;
      if (verb !== "Create" && fieldOf(request, id)?.type.name !== "string")
        yield [`does not identify its resource by string ${id}`, fieldOf(request, id)?.place ?? request?.place];
      const returned = response?.fields.some(({ type }) => type.name === `${operation.package}.${resource}`);
      if (verb !== "Delete" && !returned) yield [`returns no ${resource}`, response?.place];
    },
  ),
  fieldRule(
    {
      id: "resource-ids",
      purpose: "Ids have the same name and type everywhere: `<resource>_id`, a string (AIP-122, AIP-148).",
      fix: "Name the field `<resource>_id` and make it a string.",
    },
    function* ({ name, type, message }, contract) {
      if (!isPublished(message, contract)) return;
      if (/^(?:id|uid|uuid|guid)$/.test(name)) yield "does not name its resource";
      if (name.endsWith("_id") && type.name !== "string") yield `is an id, but not a string`;
    },
  ),
  fieldRule(
    {
      id: "field-behaviour",
      purpose: "Every message field of a request states whether it must be sent (AIP-203).",
      fix: "Set `(buf.validate.field).required = true`, or make the field `optional` (in an edition: `[features.field_presence = EXPLICIT]`).",
    },
    function* ({ type, shape, oneof, rules, message }, contract) {
      if (!isPublished(message, contract) || !message.sent || message.received) return;
      const { required } = rules;
      if (type.kind === "message" && shape === "singular" && oneof === undefined && required !== true) {
        yield "is a message that may or may not be required";
      }
    },
  ),
];
