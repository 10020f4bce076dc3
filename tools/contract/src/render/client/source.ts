import type { Contract, Field, Operation } from "../../model/contract.ts";
import { isRequired } from "../openapi/required.ts";
import type { PublishedApi } from "../published-api.ts";

/** One service of a published API, as the client offers it. */
export interface ClientService {
  /** `vault`: the property of the client. */
  readonly property: string;
  /** `VaultClient`: the interface. */
  readonly interfaceName: string;
  /** `VaultService`: the descriptor in the types package. */
  readonly descriptor: string;
  readonly comment: string;
  readonly operations: readonly ClientOperation[];
}

/** One operation, as a method of the client. */
export interface ClientOperation {
  readonly operation: Operation;
  /** `deleteItem`: the method. */
  readonly method: string;
  /** `DeleteItem`: begins the names of its types. */
  readonly name: string;
  readonly input: readonly InputField[];
}

/** A field of a request. */
export interface InputField {
  readonly field: Field;
  readonly required: boolean;
}

/** The public services of an API with their operations. */
export function clientServices({ contract, operations }: PublishedApi): readonly ClientService[] {
  return [...contract.services.values()]
    .map((service) => {
      const name = localName(service.name).replace(/Service$/, "");
      const own = operations.filter((operation) => operation.service === service.name);
      return {
        property: lowerFirst(name),
        interfaceName: `${name}Client`,
        descriptor: localName(service.name),
        comment: service.comment,
        operations: own.map((operation) => clientOperation(operation, contract)),
      };
    })
    .filter(({ operations }) => operations.length > 0);
}

function clientOperation(operation: Operation, contract: Contract): ClientOperation {
  const request = contract.messages.get(operation.request);
  if (request === undefined) throw new TypeError(`the contract does not contain the message ${operation.request}`);
  return {
    operation,
    method: lowerFirst(operation.method),
    name: operation.method,
    input: request.fields.map((field) => ({ field, required: isRequired(field, request, "request", contract) })),
  };
}

/** The last part of a full name: `Item` of `platform.v1.Item`. */
export function localName(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

function lowerFirst(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}

/** A docstring of some paragraphs, wrapped at 120 characters. Empty paragraphs are left out. */
export function docstring(paragraphs: readonly string[], indent = ""): string {
  const lines = paragraphs
    .filter((paragraph) => paragraph !== "")
    .flatMap((paragraph, index) => [
      ...(index === 0 ? [] : [""]),
      ...wrap(paragraph.replaceAll("*/", "*\\/"), 117 - indent.length),
    ]);
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

function wrap(paragraph: string, width: number): readonly string[] {
  const lines = [""];
  for (const word of paragraph.split(/\s+/)) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines;
}

/** The docstring of a method: the comment of the operation, its errors, and its end. */
function methodDocs({ operation }: ClientOperation, contract: Contract): string {
  const errors = operation.errors.map(({ reason }) => `\`${reason}\``).join(", ");
  const { deprecation } = operation;
  return docstring(
    [
      ...operation.comment.split("\n\n"),
      `Rejects with a \`PlatformError\`.${errors === "" ? "" : ` Its own reasons: ${errors}.`}${detailsOf(operation, contract)}`,
      operation.deprecated
        ? `@deprecated ${deprecation === undefined ? "" : `Since ${deprecation.deprecatedOn}; not served from ${deprecation.sunsetOn} on.`}`.trim()
        : "",
    ],
    "  ",
  );
}

/** Says which reasons have a detail of the contract's own. */
function detailsOf({ errors, package: packageName }: Operation, { enums }: Contract): string {
  const values = [...enums.values()].filter((each) => each.package === packageName).flatMap((each) => each.values);
  const own = errors.flatMap(({ reason }) => {
    const details = values.find(({ localName: name }) => name === reason)?.reason?.details ?? [];
    return details.filter((detail) => detail.startsWith(`${packageName}.`)).map((detail) => [reason, detail] as const);
  });
  return own.map(([reason, detail]) => ` With \`${reason}\`, \`detail\` is a \`${localName(detail)}\`.`).join("");
}

/** The interface of a service. */
export function serviceInterface(service: ClientService, contract: Contract): string {
  const methods = service.operations.map((operation) => {
    const options = operation.operation.retrySafety === "with_key" ? "KeyedCallOptions" : "CallOptions";
    return `${methodDocs(operation, contract)}  ${operation.method}(request: ${operation.name}Input, options?: ${options}): Promise<${operation.name}Result>;\n`;
  });
  return `${docstring(service.comment.split("\n\n"))}export interface ${service.interfaceName} {\n${methods.join("\n")}}\n\n`;
}

/** The interface of all services, by their properties. */
export function allServices(services: readonly ClientService[]): string {
  const properties = services.map(({ property, interfaceName }) => `  readonly ${property}: ${interfaceName};\n`);
  return `/** The services of the contract. */\nexport interface ServiceClients {\n${properties.join("")}}\n`;
}

/** The factory of all services. */
export function servicesFactory(services: readonly ClientService[], caller: string): string {
  const created = services.map(({ property, interfaceName }) => `    ${property}: create${interfaceName}(call),\n`);
  return `export function createServiceClients(call: ${caller}): ServiceClients {\n  return {\n${created.join("")}  };\n}\n\n`;
}

/** A generated module: its imports are those of the given names that its code uses. Names of types begin with "type ". */
export function moduleOf(
  body: string,
  imports: readonly (readonly [names: readonly string[], from: string])[],
): string {
  const code = body.replaceAll(/\/\*\*[\s\S]*?\*\//g, "");
  const lines = imports.flatMap(([names, from]) => {
    const used = names.filter((name) => new RegExp(`\\b${name.replace("type ", "")}\\b`).test(code));
    if (used.length === 0) return [];
    const types = used.every((name) => name.startsWith("type "));
    const list = used.map((name) => (types ? name.replace("type ", "") : name)).join(", ");
    return [`import ${types ? "type " : ""}{ ${list} } from "${from}";\n`];
  });
  return `${notice}${lines.join("")}\n${body.trimEnd()}\n`;
}

/** The header of a generated module. */
export const notice = "// @generated by `pnpm generate` from proto/\n";
