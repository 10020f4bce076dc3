import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { type ClientApi, localName, messagesIn, type Presence } from "./client-api.ts";
import { allServices, factories, inputAndResult, moduleOf, namesOf, serviceInterface } from "./source.ts";

/** The Connect entry: the types of its methods, and the methods. */
export function connectEntry(api: ClientApi): { readonly types: string; readonly services: string } {
  const { operations, services, presence } = api;
  const methods = operations.map(({ desc }) => desc);
  const responses = messagesIn(methods.map(({ output }) => output));
  const messages = namesOf(messagesIn([...methods.map(({ input }) => input), ...methods.map(({ output }) => output)]));
  const completed = responses.filter((message) => completeName(message, presence) !== undefined);
  const types = [
    ...operations.map((operation) =>
      inputAndResult(
        operation,
        inputType,
        completeName(operation.desc.output, presence) ?? localName(operation.desc.output),
      ),
    ),
    ...completed.map((message) => completeType(message, presence)),
    ...services.map((service) => serviceInterface(service, api)),
    allServices(api),
  ].join("");
  const code = [
    factories(api, "ConnectCaller", ({ desc }, service) => {
      const complete = completeName(desc.output, presence);
      const check = complete === undefined ? "" : `, isComplete: is${complete}`;
      const unary = `{ operation: ${desc.localName}Operation, method: ${service.desc.name}.method.${desc.localName}${check} }`;
      return `    ${desc.localName}: (request, options) => call(${unary}, request, options),\n`;
    }),
    ...completed.map((message) => completeCheck(message, presence)),
  ].join("");
  const typeNames = [
    ...namesOf(completed).map((name) => `type Complete${name}`),
    ...services.map(({ interfaceName }) => `type ${interfaceName}`),
    "type ServiceClients",
  ];
  return {
    types: moduleOf(types, [
      [["type MessageInitShape"], "@bufbuild/protobuf"],
      [messages.flatMap((name) => [`type ${name}`, `type ${name}Schema`]), "@platform-rpc/types"],
      [["type CallOptions", "type KeyedCallOptions"], "../options/client-options.js"],
      [["type Answered"], "../call/call.js"],
    ]),
    services: moduleOf(code, [
      [[...messages.map((name) => `type ${name}`), ...services.map(({ desc }) => desc.name)], "@platform-rpc/types"],
      [["type ConnectCaller"], "../connect/connect-caller.js"],
      [typeNames, "./connect-types.js"],
      [methods.map(({ localName: method }) => `${method}Operation`), "./operations.js"],
    ]),
  };
}

function inputType(field: DescField): string {
  if (field.message === undefined) return `${localName(field.parent)}["${field.jsonName}"]`;
  return `MessageInitShape<typeof ${localName(field.message)}Schema>${field.fieldKind === "list" ? "[]" : ""}`;
}

interface StrictField {
  readonly field: DescField;
  readonly required: boolean;
}

/** The fields whose generated type allows less than the contract promises: messages, which it takes for optional. */
function strictFields(
  message: DescMessage,
  presence: Presence,
  around: readonly DescMessage[] = [],
): readonly StrictField[] {
  if (around.includes(message)) return [];
  return message.fields.flatMap((field) => {
    if (field.message === undefined || field.fieldKind === "map") return [];
    const required = field.fieldKind !== "list" && presence.inResponse(field);
    const strict = strictFields(field.message, presence, [...around, message]).length > 0;
    return required || strict ? [{ field, required }] : [];
  });
}

/** The name of the type with everything that the contract promises, if that is more than the generated type has. */
function completeName(message: DescMessage | undefined, presence: Presence): string | undefined {
  return message && strictFields(message, presence).length > 0 ? `Complete${localName(message)}` : undefined;
}

function completeType(message: DescMessage, presence: Presence): string {
  const name = localName(message);
  const fields = strictFields(message, presence).map(({ field, required }) => {
    const list = field.fieldKind === "list";
    const type = completeName(field.message, presence) ?? `NonNullable<${name}["${field.jsonName}"]>`;
    return `  readonly ${field.jsonName}${required || list ? "" : "?"}: ${type}${list ? "[]" : ""};\n`;
  });
  return `/** \`${name}\` with every field that the contract promises. */\nexport type Complete${name} = ${name} & {\n${fields.join("")}};\n\n`;
}

function completeCheck(message: DescMessage, presence: Presence): string {
  const name = localName(message);
  const checks = strictFields(message, presence).flatMap(({ field, required }) => {
    const value = `message.${field.jsonName}`;
    const complete = completeName(field.message, presence);
    if (complete === undefined) return [`${value} !== undefined`];
    if (field.fieldKind === "list") return [`${value}.every(is${complete})`];
    return required
      ? [`${value} !== undefined`, `is${complete}(${value})`]
      : [`(${value} === undefined || is${complete}(${value}))`];
  });
  return (
    `function isComplete${name}(message: ${name}): message is Complete${name} {\n` +
    `  return ${checks.join(" && ")};\n}\n\n`
  );
}
