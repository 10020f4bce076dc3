import type { Contract, Field, Message } from "../../model/contract.ts";
import { isRequired } from "../openapi/required.ts";
import { wrappedScalar } from "../openapi/types.ts";
import type { PublishedApi } from "../published-api.ts";
import {
  allServices,
  type ClientOperation,
  type ClientService,
  clientServices,
  docstring,
  localName,
  notice,
  serviceInterface,
} from "./source.ts";

/** The methods of the JSON entry, the types of their inputs and results, and the shapes that responses are checked against. */
export function renderJsonEntry(api: PublishedApi): string {
  const services = clientServices(api);
  const operations = services.flatMap((service) => service.operations);
  const { contract } = api;
  const requests = inside(
    operations.map(({ operation }) => operation.request),
    contract,
    "before",
  );
  const responses = inside(
    operations.map(({ operation }) => operation.response),
    contract,
    "after",
  );
  const inputsOnly = requests.filter(
    (message) =>
      !responses.includes(message) && !operations.some(({ operation }) => operation.request === message.name),
  );
  return [
    notice,
    'import type { CallOptions, KeyedCallOptions } from "../call/call-options.js";\n',
    'import type { Answered } from "../call/call.js";\n',
    'import type { JsonCaller } from "../json/json-caller.js";\n',
    'import { rebuild, type Shape } from "../wire/rebuild.js";\n',
    `import { ${operations
      .map(({ method }) => `${method}Operation`)
      .sort()
      .join(", ")} } from "./operations.js";\n\n`,
    ...operations.map((operation) => ioTypes(operation, contract)),
    ...inputsOnly.map((message) => interfaceOf(message, contract, "request")),
    ...responses.map((message) => interfaceOf(message, contract, "response")),
    ...services.map((service) => serviceInterface(service, contract)),
    ...services.map(serviceFactory),
    allServices(services, "JsonCaller"),
    ...responses.map((message) => shapeOf(message, contract)),
  ].join("");
}

/** The messages of the contract that some messages contain, in an order in which each comes before or after those that contain it. */
function inside(names: readonly string[], contract: Contract, order: "before" | "after"): readonly Message[] {
  const found = new Set<Message>();
  const visit = (name: string, seen: readonly string[]) => {
    const message = contract.messages.get(name);
    if (message === undefined || seen.includes(name)) return;
    for (const { type } of message.fields) if (type.kind === "message") visit(type.name, [...seen, name]);
    found.add(message);
  };
  for (const name of names) visit(name, []);
  return order === "after" ? [...found] : [...found].reverse();
}

function ioTypes({ name, operation, input }: ClientOperation, contract: Contract): string {
  const fields = input.map(
    ({ field, required }) =>
      `${docstring(field.comment.split("\n\n"), "  ")}  readonly ${field.jsonName}${required ? "" : "?"}: ${typeOf(field, contract)}${required ? "" : " | undefined"};\n`,
  );
  return (
    `/** The request of \`${operation.method}\`. */\nexport interface ${name}Input {\n${fields.join("")}}\n\n` +
    `/** The response of \`${operation.method}\`, with the request id. */\nexport type ${name}Result = Answered<${localName(operation.response)}>;\n\n`
  );
}

function interfaceOf(message: Message, contract: Contract, direction: "request" | "response"): string {
  const fields = message.fields.map((field) => {
    const required = isRequired(field, message, direction, contract);
    return `${docstring(field.comment.split("\n\n"), "  ")}  readonly ${field.jsonName}${required ? "" : "?"}: ${typeOf(field, contract)}${required ? "" : " | undefined"};\n`;
  });
  return `${docstring(message.comment.split("\n\n"))}export interface ${localName(message.name)} {\n${fields.join("")}}\n\n`;
}

const numbers = /^(?:float|double|u?int32|sint32|s?fixed32)$/;

/** The type of a field in JSON: https://protobuf.dev/programming-guides/json */
function typeOf({ type, shape }: Field, contract: Contract): string {
  const single = singleType(type, contract);
  if (shape === "repeated") return `readonly ${/[ |]/.test(single) ? `(${single})` : single}[]`;
  return shape === "map" ? `{ readonly [key: string]: ${single} }` : single;
}

function singleType({ kind, name }: Field["type"], contract: Contract): string {
  if (kind === "enum") return "string";
  if (kind === "scalar") return scalarType(name);
  if (contract.messages.has(name)) return localName(name);
  const wrapped = wrappedScalar(name);
  if (wrapped !== undefined) return scalarType(wrapped);
  return /\.(?:Timestamp|Duration|FieldMask)$/.test(name) ? "string" : "unknown";
}

function scalarType(name: string): string {
  if (name === "bool") return "boolean";
  return numbers.test(name) ? "number" : "string";
}

function shapeOf(message: Message, contract: Contract): string {
  const name = localName(message.name);
  const fields = message.fields.map((field) => {
    const shape = fieldShape(field, contract);
    const required = isRequired(field, message, "response", contract);
    return `  ${field.jsonName}: ${required ? shape : `() => ${shape}`},\n`;
  });
  return `const ${shapeName(name)}: Shape<${name}> = {\n${fields.join("")}};\n\n`;
}

function fieldShape({ type, shape }: Field, contract: Contract): string {
  const single = contract.messages.has(type.name)
    ? shapeName(localName(type.name))
    : zeroOf(singleType(type, contract));
  if (shape === "repeated") return `[${single}]`;
  return shape === "map" ? `new Map([["", ${single}]])` : single;
}

function zeroOf(type: string): string {
  return { string: '""', number: "0", boolean: "false" }[type] ?? "null";
}

function shapeName(message: string): string {
  return `${message.slice(0, 1).toLowerCase()}${message.slice(1)}Shape`;
}

function serviceFactory({ interfaceName, operations }: ClientService): string {
  const methods = operations.map(
    ({ method, operation }) =>
      `    ${method}: (request, options) =>\n      call({ ...${method}Operation, read: (answer) => rebuild(${shapeName(localName(operation.response))}, answer) }, request, options),\n`,
  );
  return `function create${interfaceName}(call: JsonCaller): ${interfaceName} {\n  return {\n${methods.join("")}  };\n}\n\n`;
}
