import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { type ClientApi, isOwn, localName, messagesIn } from "./client-api.ts";
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

/** The JSON entry: the types of its methods, and the methods with the readers of their responses. */
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
    ...responses.map((message, index) => readerOf(message, presence.inResponse, responses.slice(index))),
    factories(api, "JsonCaller", ({ desc }) => {
      const call = `call(${desc.localName}Operation, ${readerName(desc.output)}, request, options)`;
      return `    ${desc.localName}: (request, options) =>\n      ${call},\n`;
    }),
  ].join("");
  const typeNames = [...namesOf(responses), ...services.map(({ interfaceName }) => interfaceName), "ServiceClients"];
  return {
    types: moduleOf(types, [
      [["type CallOptions", "type KeyedCallOptions"], "../options/client-options.js"],
      [["type Answered"], "../call/call.js"],
    ]),
    services: moduleOf(code, [
      [["type JsonCaller"], "../json/json-caller.js"],
      [
        ["boolean", "json", "list", "map", "message", "number", "optional", "type Reader", "string"],
        "../wire/read-json.js",
      ],
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
  ScalarType.FLOAT,
  ScalarType.DOUBLE,
  ScalarType.INT32,
  ScalarType.UINT32,
  ScalarType.SINT32,
  ScalarType.FIXED32,
  ScalarType.SFIXED32,
]);

/** 64-bit integers and bytes are strings in JSON. */
function scalarType(scalar: ScalarType): string {
  if (scalar === ScalarType.BOOL) return "boolean";
  return numbers.has(scalar) ? "number" : "string";
}

/** The reader of a message. `undeclared`: the message itself, and those whose readers are declared after it. */
function readerOf(
  message: DescMessage,
  isRequired: (field: DescField) => boolean,
  undeclared: readonly DescMessage[],
): string {
  const fields = message.fields.map((field) => {
    const reader = fieldReader(field, undeclared);
    return `  ${field.jsonName}: ${isRequired(field) ? reader : `optional(${reader})`},\n`;
  });
  return `const ${readerName(message)}: Reader<${localName(message)}> = message({\n${fields.join("")}});\n\n`;
}

function fieldReader(field: DescField, undeclared: readonly DescMessage[]): string {
  const single = singleReader(field, undeclared);
  if (field.fieldKind === "list") return `list(${single})`;
  return field.fieldKind === "map" ? `map(${single})` : single;
}

function singleReader(field: DescField, undeclared: readonly DescMessage[]): string {
  const { message } = field;
  if (message && isOwn(message)) {
    const reader = readerName(message);
    return undeclared.includes(message) ? `(value) => ${reader}(value)` : reader;
  }
  const type = singleType(field);
  return type === "unknown" ? "json" : type;
}

function readerName(message: DescMessage): string {
  return `read${localName(message)}`;
}
