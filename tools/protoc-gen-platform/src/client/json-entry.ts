import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { type ClientApi, isOwn, localName, lowerFirst, messagesIn } from "./client-api.ts";
import {
  allServices,
  docstringOf,
  factories,
  inputAndResult,
  moduleOf,
  namesOf,
  property,
  serviceInterface,
} from "./source.ts";

/** The JSON entry: the types of its methods, and the methods with the shapes that responses are checked against. */
export function jsonEntry(api: ClientApi): { readonly types: string; readonly services: string } {
  const { operations, services, presence } = api;
  const requests = operations.map(({ desc }) => desc.input);
  const responses = messagesIn(operations.map(({ desc }) => desc.output));
  const sent = messagesIn(requests).filter((each) => !responses.includes(each) && !requests.includes(each));
  const types = [
    ...operations.map((operation) => inputAndResult(operation, propertyType, localName(operation.desc.output))),
    ...sent.map((message) => {
      const required = presence.inRequest(message);
      return interfaceOf(message, (field) => required.has(field));
    }),
    ...responses.map((message) => interfaceOf(message, presence.inResponse)),
    ...services.map((service) => serviceInterface(service, api)),
    allServices(api),
  ].join("");
  const code = [
    ...responses.map((message) => shapeOf(message, presence.inResponse)),
    factories(api, "JsonCaller", ({ desc }) => {
      const read = `(answer) => rebuild<${localName(desc.output)}>(${shapeName(desc.output)}, answer)`;
      return `    ${desc.localName}: (request, options) =>\n      call({ ...${desc.localName}Operation, read: ${read} }, request, options),\n`;
    }),
  ].join("");
  const typeNames = [...namesOf(responses), ...services.map(({ interfaceName }) => interfaceName), "ServiceClients"];
  return {
    types: moduleOf(types, [
      [["type CallOptions", "type KeyedCallOptions"], "../call/call-options.js"],
      [["type Answered"], "../call/call.js"],
    ]),
    services: moduleOf(code, [
      [["type JsonCaller"], "../json/json-caller.js"],
      [["rebuild", "type Shape"], "../wire/rebuild.js"],
      [typeNames.map((name) => `type ${name}`), "./json-types.js"],
      [operations.map(({ desc }) => `${desc.localName}Operation`), "./operations.js"],
    ]),
  };
}

function interfaceOf(message: DescMessage, isRequired: (field: DescField) => boolean): string {
  const fields = message.fields.map((field) =>
    property(field, isRequired(field), propertyType(field, isRequired(field))),
  );
  return `${docstringOf(message)}export interface ${localName(message)} {\n${fields.join("")}}\n\n`;
}

/** The type of a field in JSON: https://protobuf.dev/programming-guides/json */
function propertyType(field: DescField, required: boolean): string {
  const single = singleType(field);
  const types = {
    list: `readonly ${single}[]`,
    map: `{ readonly [key: string]: ${single} }`,
    message: single,
    enum: single,
    scalar: single,
  };
  return `${types[field.fieldKind]}${required ? "" : " | undefined"}`;
}

/** The type of a field, of the entries of a list, or of the values of a map. */
function singleType({ message, scalar }: DescField): string {
  if (message !== undefined && isOwn(message)) return localName(message);
  if (message === undefined) return scalar === undefined ? "string" : scalarType(scalar);
  if (/\.(?:Timestamp|Duration|FieldMask)$/.test(message.typeName)) return "string";
  const [wrapped] = /Value$/.test(message.typeName) && message.name !== "Value" ? message.fields : [];
  return wrapped?.scalar === undefined ? "unknown" : scalarType(wrapped.scalar);
}

const numbers: ReadonlySet<ScalarType> = new Set([
  ...[ScalarType.FLOAT, ScalarType.DOUBLE, ScalarType.INT32, ScalarType.UINT32],
  ...[ScalarType.SINT32, ScalarType.FIXED32, ScalarType.SFIXED32],
]);

/** 64-bit integers and bytes are strings in JSON. */
function scalarType(scalar: ScalarType): string {
  if (scalar === ScalarType.BOOL) return "boolean";
  return numbers.has(scalar) ? "number" : "string";
}

function shapeOf(message: DescMessage, isRequired: (field: DescField) => boolean): string {
  const fields = message.fields.map((field) => {
    const shape = fieldShape(field);
    return `  ${field.jsonName}: ${isRequired(field) ? shape : `() => ${shape}`},\n`;
  });
  return `const ${shapeName(message)}: Shape<${localName(message)}> = {\n${fields.join("")}};\n\n`;
}

const zeros: ReadonlyMap<string, string> = new Map([
  ["string", '""'],
  ["number", "0"],
  ["boolean", "false"],
]);

function fieldShape(field: DescField): string {
  const { message, fieldKind } = field;
  const single = message && isOwn(message) ? shapeName(message) : (zeros.get(singleType(field)) ?? "null");
  if (fieldKind === "list") return `[${single}]`;
  return fieldKind === "map" ? `new Map([["", ${single}]])` : single;
}

function shapeName(message: DescMessage): string {
  return `${lowerFirst(localName(message))}Shape`;
}
