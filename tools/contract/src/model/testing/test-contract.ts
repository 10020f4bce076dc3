import type {
  Contract,
  Enum,
  EnumValue,
  Extension,
  Field,
  FieldType,
  Header,
  Message,
  Operation,
  Package,
  Reason,
  Service,
} from "../contract.ts";
import type { Place } from "../finding.ts";
import { testEncoder } from "./descriptors.ts";

/** Parts of a contract. Names decide what belongs to what: `platform.v1.Item` is in the package `platform.v1`. */
export interface ContractParts {
  readonly packages?: readonly Package[];
  readonly operations?: readonly Operation[];
  readonly messages?: readonly Message[];
  readonly enums?: readonly Enum[];
  readonly services?: readonly Service[];
  readonly extensions?: readonly Extension[];
}

const place: Place = { file: "proto/platform/v1/test.proto", line: 1, column: 1 };
const documented = { place, comment: "A comment.", deprecated: false };

/** Creates a contract from its parts. Packages and services that are not given are made from the names of the parts. */
export function testContract({
  packages = [],
  operations = [],
  messages = [],
  enums = [],
  services: given = [],
  extensions = [],
}: ContractParts): Contract {
  const names = [...operations, ...messages, ...enums].map((part) => part.package);
  const services = [...new Set(operations.map(({ service }) => service))].map((name) => testService(name, operations));
  const types = { messages: new Map(byName(messages)), enums: new Map(byName(enums)) };
  return {
    ...types,
    image: new Uint8Array(),
    encode: testEncoder(types),
    packages: new Map(byName([...[...new Set(names)].map((name) => testPackage(name)), ...packages])),
    services: new Map(byName([...services, ...given])),
    operations: new Map(byName(operations)),
    extensions: new Map(byName(extensions)),
  };
}

export function testPackage(name: string, parts: Partial<Package> = {}): Package {
  return {
    ...documented,
    name,
    files: [],
    published: !name.includes("internal"),
    limits: undefined,
    limitPlaces: {},
    requestHeaders: [],
    responseHeaders: [],
    ...parts,
  };
}

/** An operation such as `platform.v1.VaultService/DeleteItem`, with DeleteItemRequest and DeleteItemResponse. */
export function testOperation(name: string, parts: Partial<Operation> = {}): Operation {
  const [service = "", method = ""] = name.split("/");
  const packageName = packageOf(service);
  return {
    ...documented,
    name,
    package: packageName,
    service,
    method,
    request: `${packageName}.${method}Request`,
    response: `${packageName}.${method}Response`,
    streaming: false,
    idempotency: "idempotent",
    visibility: "public",
    requiredScopes: ["test.scope"],
    retrySafety: "idempotent",
    deprecation: undefined,
    errors: [],
    rate: { perMinute: 600, burst: 100 },
    headers: [],
    bodyBytes: 0,
    optionPlaces: {},
    ...parts,
  };
}

export function testMessage(name: string, fields: readonly Field[], parts: Partial<Message> = {}): Message {
  const sent = name.endsWith("Request");
  return {
    ...documented,
    name,
    package: packageOf(name),
    sent,
    received: !sent,
    fields,
    oneofs: [],
    rules: {},
    ...parts,
  };
}

/** A field by its name in proto spelling. `type` is a scalar (`uint32`), or a message or enum of `parts.type`. */
export function testField(name: string, type: string | FieldType, parts: Partial<Field> = {}): Field {
  return {
    ...documented,
    name,
    jsonName: name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    number: 1,
    type: typeof type === "string" ? { kind: "scalar", name: type } : type,
    shape: "singular",
    keyType: undefined,
    oneof: undefined,
    secret: false,
    documentedValues: [],
    absentUntil: undefined,
    example: undefined,
    rules: {},
    ...parts,
  };
}

/** An enum whose values are numbered from 0. */
export function testEnum(name: string, values: readonly EnumValue[], parts: Partial<Enum> = {}): Enum {
  return {
    ...documented,
    name,
    package: packageOf(name),
    values: values.map((value, number) => ({ ...value, number })),
    ...parts,
  };
}

export function testEnumValue(localName: string, parts: Partial<EnumValue> = {}): EnumValue {
  return { ...documented, name: localName, localName, number: 0, reason: undefined, ...parts };
}

export function testReason(localName: string, parts: Partial<Reason> = {}): EnumValue {
  const reason: Reason = {
    code: "not_found",
    httpStatus: 404,
    message: "There is no such thing.",
    title: "No such thing",
    causes: ["There is none."],
    remedies: ["Look elsewhere."],
    details: [],
    headers: [],
    everyCall: false,
    neverSent: false,
    optionPlaces: {},
    ...parts,
  };
  return testEnumValue(localName, { reason });
}

export function testHeader(name: string, parts: Partial<Header> = {}): Header {
  return {
    place,
    name,
    description: "A header.",
    everyCall: false,
    required: false,
    const: undefined,
    pattern: undefined,
    minLen: 0,
    maxLen: undefined,
    example: undefined,
    ...parts,
  };
}

/** An option `platform.v1.flag` of messages, a bool. */
export function testExtension(parts: Partial<Extension> = {}): Extension {
  const [extendee, type] = ["google.protobuf.MessageOptions", { kind: "scalar", name: "bool" } as const];
  return { ...documented, name: "platform.v1.flag", extendee, number: 50_000, type, ...parts };
}

export function testService(name: string, operations: readonly Operation[], parts: Partial<Service> = {}): Service {
  const own = operations.filter(({ service }) => service === name);
  return {
    ...documented,
    name,
    package: packageOf(name),
    operations: own.map((operation) => operation.name),
    ...parts,
  };
}

function packageOf(name: string): string {
  return name.slice(0, name.search(/\.[A-Z]/));
}

function byName<Part extends { readonly name: string }>(parts: readonly Part[]): readonly (readonly [string, Part])[] {
  return parts.map((part) => [part.name, part] as const);
}
