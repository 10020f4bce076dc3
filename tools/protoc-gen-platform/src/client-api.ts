import {
  create,
  createRegistry,
  type DescEnumValue,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescService,
  type Registry,
} from "@bufbuild/protobuf";
import type { Schema } from "@bufbuild/protoplugin";
import { createValidator } from "@bufbuild/protovalidate";
import { type ContractOptions, createContractOptions } from "./contract-options.ts";

/** The public services of `platform.v1`, which the client calls. */
export interface ClientApi {
  readonly services: readonly ClientService[];
  readonly operations: readonly ClientOperation[];
  readonly presence: Presence;
  readonly options: ContractOptions;
  reasonNamed(name: string): DescEnumValue | undefined;
}

export interface ClientService {
  readonly desc: DescService;
  /** `vault`: the property of the client. */
  readonly property: string;
  /** `VaultClient`: the interface. */
  readonly interfaceName: string;
  readonly operations: readonly ClientOperation[];
}

export interface ClientOperation {
  readonly desc: DescMethod;
  /** `idempotent`, `with_key` or `none`. */
  readonly retrySafety: string;
  readonly input: readonly InputField[];
}

interface InputField {
  readonly field: DescField;
  readonly required: boolean;
}

const packageName = "platform.v1";

export function readClientApi(schema: Schema): ClientApi {
  const registry = createRegistry(...schema.allFiles);
  const options = createContractOptions(registry);
  const presence = createPresence(options, registry);
  const files = schema.files.filter(({ proto }) => proto.package === packageName);
  const reasons = files.flatMap(({ enums }) => enums).flatMap(({ values }) => values);
  const services = files
    .flatMap((file) => file.services)
    .map((desc): ClientService => {
      const name = desc.name.replace(/Service$/, "");
      const operations = byName(desc.methods)
        .filter((method) => options.operation(method).visibility === "public")
        .map((method) => clientOperation(method, options, presence));
      return { desc, property: lowerFirst(name), interfaceName: `${name}Client`, operations };
    })
    .filter(({ operations }) => operations.length > 0);
  return {
    services,
    operations: services.flatMap(({ operations }) => operations),
    presence,
    options,
    reasonNamed: (name) => reasons.find((value) => value.localName === name),
  };
}

function clientOperation(desc: DescMethod, options: ContractOptions, presence: Presence): ClientOperation {
  const required = presence.inRequest(desc.input);
  return {
    desc,
    retrySafety: options.operation(desc).retrySafety,
    input: desc.input.fields.map((field) => ({ field, required: required.has(field) })),
  };
}

/** Messages that some messages contain, they themselves included, each after what it contains. */
export function messagesIn(roots: readonly DescMessage[]): readonly DescMessage[] {
  const found = new Set<DescMessage>();
  const visit = (message: DescMessage, around: readonly DescMessage[]) => {
    if (!isOwn(message) || around.includes(message)) return;
    for (const field of message.fields) if (field.message) visit(field.message, [...around, message]);
    found.add(message);
  };
  for (const root of roots) visit(root, []);
  return [...found];
}

/** Reports whether a message is not one of protobuf's own, which have a special form in JSON. */
export function isOwn({ file }: { readonly file: DescFile }): boolean {
  return file.proto.package !== "google.protobuf";
}

/** The name of a type in generated code: nested ones are joined with `_`, as protoc-gen-es does. */
export function localName({ typeName, file }: { readonly typeName: string; readonly file: DescFile }): string {
  return typeName.slice(file.proto.package.length + 1).replaceAll(".", "_");
}

function lowerFirst(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}

function byName<Named extends { readonly name: string }>(list: readonly Named[]): readonly Named[] {
  return list.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

export interface Presence {
  inRequest(message: DescMessage): ReadonlySet<DescField>;
  inResponse(field: DescField): boolean;
}

function createPresence({ absentUntil }: ContractOptions, registry: Registry): Presence {
  const validator = createValidator({ registry });
  const mayBeAbsent = (field: DescField) =>
    field.proto.proto3Optional ||
    field.oneof !== undefined ||
    absentUntil(field) !== undefined ||
    /^google\.protobuf\.\w+Value$/.test(field.message?.typeName ?? "");
  /** Reports whether a message contains itself: a required field of that type could never end. */
  const containsItself = (field: DescField, message: DescMessage, around: readonly DescMessage[]): boolean => {
    const inner = field.fieldKind === "message" && !mayBeAbsent(field) ? field.message : undefined;
    if (inner === undefined || around.includes(inner)) return false;
    return inner === message || inner.fields.some((each) => containsItself(each, message, [...around, inner]));
  };
  return {
    inRequest(message) {
      const { violations = [], error } = validator.validate(message, create(message));
      if (error && violations.length === 0) throw error;
      return new Set(message.fields.filter((field) => violations.some(({ field: [first] }) => first === field)));
    },
    inResponse: (field) => !mayBeAbsent(field) && !containsItself(field, field.parent, []),
  };
}
