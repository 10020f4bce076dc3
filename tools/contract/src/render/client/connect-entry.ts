import type { Contract, Field, Message } from "../../model/contract.ts";
import { isRequired } from "../openapi/required.ts";
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

/** The Connect entry: the types of its methods, and the methods. */
export function renderConnectEntry(api: PublishedApi): { readonly types: string; readonly services: string } {
  const { contract } = api;
  const services = clientServices(api);
  const operations = services.flatMap((service) => service.operations);
  const messages = [...contract.messages.values()]
    .filter((message) => message.package === api.package.name)
    .map(({ name }) => localName(name));
  const completed = reachable(
    operations.map(({ operation }) => operation.response),
    contract,
  ).filter(({ name }) => completeName(name, contract) !== undefined);
  const types = [
    ...operations.map((operation) => ioTypes(operation, contract)),
    ...completed.map((message) => completeType(message, contract)),
    ...services.map((service) => serviceInterface(service, contract)),
    allServices(services),
  ].join("");
  const factories = [
    ...services.map((service) => serviceFactory(service, contract)),
    servicesFactory(services, "ConnectCaller"),
    ...completed.map((message) => completeCheck(message, contract)),
  ].join("");
  const typeNames = [
    ...completed.map(({ name }) => `type Complete${localName(name)}`),
    ...services.map(({ interfaceName }) => `type ${interfaceName}`),
    "type ServiceClients",
  ];
  return {
    types: moduleOf(types, [
      [["type MessageInitShape"], "@bufbuild/protobuf"],
      [messages.flatMap((name) => [`type ${name}`, `type ${name}Schema`]), "@platform-rpc/types"],
      [["type CallOptions", "type KeyedCallOptions"], "../call/call-options.js"],
      [["type Answered"], "../call/call.js"],
    ]),
    services: moduleOf(factories, [
      [
        [...messages.map((name) => `type ${name}`), ...services.map(({ descriptor }) => descriptor)],
        "@platform-rpc/types",
      ],
      [["type ConnectCaller"], "../connect/connect-caller.js"],
      [typeNames, "./connect-types.js"],
      [operations.map(({ method }) => `${method}Operation`), "./operations.js"],
    ]),
  };
}

function isMessage({ field }: { readonly field: Field }): boolean {
  return field.type.kind === "message";
}

function ioTypes({ name, input, operation }: ClientOperation, contract: Contract): string {
  const request = localName(operation.request);
  const fields = input.map(({ field, required }) => {
    const type = isMessage({ field })
      ? `MessageInitShape<typeof ${localName(field.type.name)}Schema>${field.shape === "repeated" ? "[]" : ""}`
      : `${request}["${field.jsonName}"]`;
    return `  readonly ${field.jsonName}${required ? "" : "?"}: ${type};\n`;
  });
  return (
    `/** The request of \`${operation.method}\`. */\nexport interface ${name}Input {\n` +
    input.map(({ field }, index) => docstring(field.comment.split("\n\n"), "  ") + (fields[index] ?? "")).join("") +
    `}\n\n/** The response of \`${operation.method}\`, with the request id. */\n` +
    `export type ${name}Result = Answered<${completeName(operation.response, contract) ?? localName(operation.response)}>;\n\n`
  );
}

/** The messages of the contract that some messages contain, they themselves included. */
function reachable(names: readonly string[], contract: Contract): readonly Message[] {
  const found = new Map<string, Message>();
  const visit = (name: string) => {
    const message = contract.messages.get(name);
    if (message === undefined || found.has(name)) return;
    found.set(name, message);
    for (const { type } of message.fields) if (type.kind === "message") visit(type.name);
  };
  for (const name of names) visit(name);
  return [...found.values()];
}

interface StrictField {
  readonly field: Field;
  readonly required: boolean;
}

/** The fields whose generated type allows less than the contract promises: messages, which it takes for optional. */
function strictFields(message: Message, contract: Contract, seen: readonly string[] = []): readonly StrictField[] {
  if (seen.includes(message.name)) return [];
  return message.fields.flatMap((field) => {
    if (field.type.kind !== "message" || field.shape === "map") return [];
    const required = field.shape !== "repeated" && isRequired(field, message, "response", contract);
    const inner = contract.messages.get(field.type.name);
    const strict = inner !== undefined && strictFields(inner, contract, [...seen, message.name]).length > 0;
    return required || strict ? [{ field, required }] : [];
  });
}

/** The name of the type with everything that the contract promises, if that is more than the generated type has. */
function completeName(name: string, contract: Contract): string | undefined {
  const message = contract.messages.get(name);
  return message && strictFields(message, contract).length > 0 ? `Complete${localName(name)}` : undefined;
}

function completeType(message: Message, contract: Contract): string {
  const name = localName(message.name);
  const fields = strictFields(message, contract).map(({ field, required }) => {
    const complete = completeName(field.type.name, contract);
    const optional = required || field.shape === "repeated" ? "" : "?";
    const type = complete ?? `NonNullable<${name}["${field.jsonName}"]>`;
    return `  readonly ${field.jsonName}${optional}: ${type}${field.shape === "repeated" ? "[]" : ""};\n`;
  });
  return `/** A \`${name}\` with everything that the contract promises. */\nexport type Complete${name} = ${name} & {\n${fields.join("")}};\n\n`;
}

function completeCheck(message: Message, contract: Contract): string {
  const name = localName(message.name);
  const checks = strictFields(message, contract).flatMap(({ field, required }) => {
    const value = `message.${field.jsonName}`;
    const complete = completeName(field.type.name, contract);
    if (complete === undefined) return [`${value} !== undefined`];
    if (field.shape === "repeated") return [`${value}.every(is${complete})`];
    return required
      ? [`${value} !== undefined`, `is${complete}(${value})`]
      : [`(${value} === undefined || is${complete}(${value}))`];
  });
  return (
    `function isComplete${name}(message: ${name}): message is Complete${name} {\n` +
    `  return ${checks.join(" && ")};\n}\n\n`
  );
}

function serviceFactory({ interfaceName, descriptor, operations }: ClientService, contract: Contract): string {
  const methods = operations.map(({ method, operation }) => {
    const complete = completeName(operation.response, contract);
    const check = complete === undefined ? "" : `, isComplete: is${complete}`;
    const unary = `{ operation: ${method}Operation, method: ${descriptor}.method.${method}${check} }`;
    return `    ${method}: (request, options) => call(${unary}, request, options),\n`;
  });
  return `function create${interfaceName}(call: ConnectCaller): ${interfaceName} {\n  return {\n${methods.join("")}  };\n}\n\n`;
}
