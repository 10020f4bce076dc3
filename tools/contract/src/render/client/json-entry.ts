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
  moduleOf,
  serviceInterface,
  servicesFactory,
} from "./source.ts";

/** The JSON entry: the types of its methods, and the methods with the shapes that responses are checked against. */
export function renderJsonEntry(api: PublishedApi): { readonly types: string; readonly services: string } {
  const { contract } = api;
  const services = clientServices(api);
  const operations = services.flatMap((service) => service.operations);
  const requests = operations.map(({ operation }) => operation.request);
  const responses = inside(
    operations.map(({ operation }) => operation.response),
    contract,
  );
  const sent = inside(requests, contract).filter((each) => !responses.includes(each) && !requests.includes(each.name));
  const types = [
    ...operations.map((operation) => ioTypes(operation, contract)),
    ...sent.map((message) => interfaceOf(message, contract, "request")),
    ...responses.map((message) => interfaceOf(message, contract, "response")),
    ...services.map((service) => serviceInterface(service, contract)),
    allServices(services),
  ].join("");
  const factories = [
    ...responses.map((message) => shapeOf(message, contract)),
    ...services.map(serviceFactory),
    servicesFactory(services, "JsonCaller"),
  ].join("");
  const typeNames = [
    ...responses.map(({ name }) => localName(name)),
    ...services.map((service) => service.interfaceName),
  ];
  return {
    types: moduleOf(types, [
      [["type CallOptions", "type KeyedCallOptions"], "../call/call-options.js"],
      [["type Answered"], "../call/call.js"],
    ]),
    services: moduleOf(factories, [
      [["type JsonCaller"], "../json/json-caller.js"],
      [["rebuild", "type Shape"], "../wire/rebuild.js"],
      [[...typeNames, "ServiceClients"].map((name) => `type ${name}`), "./json-types.js"],
      [operations.map(({ method }) => `${method}Operation`), "./operations.js"],
    ]),
  };
}

/** The messages of the contract that some messages contain, each before those that contain it. */
function inside(names: readonly string[], contract: Contract): readonly Message[] {
  const found = new Set<Message>();
  const visit = (name: string, seen: readonly string[]) => {
    const message = contract.messages.get(name);
    if (message === undefined || seen.includes(name)) return;
    for (const { type } of message.fields) if (type.kind === "message") visit(type.name, [...seen, name]);
    found.add(message);
  };
  for (const name of names) visit(name, []);
  return [...found];
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
      `    ${method}: (request, options) =>\n      call({ ...${method}Operation, read: (answer) => rebuild<${localName(operation.response)}>(${shapeName(localName(operation.response))}, answer) }, request, options),\n`,
  );
  return `function create${interfaceName}(call: JsonCaller): ${interfaceName} {\n  return {\n${methods.join("")}  };\n}\n\n`;
}
