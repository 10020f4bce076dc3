import { createHash } from "node:crypto";
import type { Contract, Enum, EnumValue, Field, Header, Message, Operation, Package } from "../model/contract.ts";
import type { Entry, Lock, Value } from "./lock.ts";

type Loose = Readonly<Record<string, Value | readonly (string | number | boolean)[] | undefined>>;
type Named = readonly [name: string, entry: Entry];

/** Creates the lock of the published packages of a contract. */
export function lockContract(contract: Contract): Lock {
  const packages = [...contract.packages.values()].filter(({ published }) => published);
  const names = new Set(packages.map(({ name }) => name));
  const published = <Part extends { readonly package: string }>(parts: ReadonlyMap<string, Part>) =>
    [...parts.values()].filter((part) => names.has(part.package));
  const messages = published(contract.messages);
  const enums = published(contract.enums);
  const extensions = [...contract.extensions.values()].filter(({ name }) =>
    names.has(name.slice(0, name.lastIndexOf("."))),
  );
  return {
    format: 2,
    packages: section(packages.map((found) => [found.name, lockPackage(found)])),
    headers: section(packages.flatMap(lockHeaders)),
    services: section(published(contract.services).map((service) => [service.name, documented(service)])),
    operations: section(published(contract.operations).map((operation) => [operation.name, lockOperation(operation)])),
    messages: section(messages.map((message) => [message.name, lockMessage(message)])),
    fields: section(messages.flatMap(({ name, fields }) => fields.map((field) => lockField(name, field)))),
    oneofs: section(
      messages.flatMap(({ name, oneofs }) =>
        oneofs.map((oneof): Named => [`${name}.${oneof.name}`, entry({ required: oneof.required })]),
      ),
    ),
    enums: section(enums.map((found) => [found.name, documented(found)])),
    values: section(enums.flatMap(lockValues)),
    extensions: section(
      extensions.map(
        (extension): Named => [
          extension.name,
          entry({
            ...documented(extension),
            number: extension.number,
            extendee: extension.extendee,
            type: extension.type.name,
          }),
        ],
      ),
    ),
  };
}

function lockPackage({ limits = {}, ...found }: Package): Entry {
  return entry({ ...documented(found), ...prefixed("limits", limits) });
}

function lockHeaders({ name, requestHeaders, responseHeaders }: Package): readonly Named[] {
  const locked = (direction: string, headers: readonly Header[]) =>
    headers.map(
      ({ place: _, name: header, description, example, minLength, maxLength, ...rest }): Named => [
        `${name} ${direction} ${header}`,
        entry({ ...rest, min_len: minLength, max_len: maxLength, comment: digest(description, example) }),
      ],
    );
  return [...locked("request", requestHeaders), ...locked("response", responseHeaders)];
}

function lockOperation({ deprecation, rate = { perMinute: 0, burst: 0 }, ...operation }: Operation): Entry {
  const { request, response, visibility, requiredScopes, retrySafety, errors, headers, comment, deprecated } =
    operation;
  const conditions = errors.flatMap(({ reason, when }) => (when === undefined ? [] : [`${reason}: ${when}`])).sort();
  return entry({
    request,
    response,
    visibility,
    requiredScopes,
    retrySafety,
    ...deprecation,
    errors: errors.map(({ reason }) => reason),
    ...prefixed("rate", rate),
    headers,
    deprecated,
    comment: digest(comment, ...conditions),
  });
}

function lockMessage({ sent, received, rules, ...message }: Message): Entry {
  return entry({ ...documented(message), sent, received, ...prefixed("rules", rules) });
}

function lockField(message: string, field: Field): Named {
  return [
    `${message}.${field.jsonName}`,
    entry({
      number: field.number,
      type: typeOf(field),
      presence: field.shape === "optional" ? "optional" : field.absentUntil && `absent until ${field.absentUntil}`,
      oneof: field.oneof,
      documentedValues: field.documentedValues,
      secret: field.secret,
      ...prefixed("rules", field.rules),
      deprecated: field.deprecated,
      comment: digest(field.comment, field.example),
    }),
  ];
}

function typeOf({ shape, keyType, type }: Field): string {
  const name = type.kind === "enum" ? `enum ${type.name}` : type.name;
  if (shape === "map") return `map<${keyType}, ${name}>`;
  return shape === "repeated" ? `repeated ${name}` : name;
}

function lockValues({ name, values }: Enum): readonly Named[] {
  return values.map((value): Named => [`${name}.${value.localName}`, lockValue(value)]);
}

function lockValue({ number, reason, ...value }: EnumValue): Entry {
  if (reason === undefined) return entry({ ...documented(value), number });
  const { message, title, causes, remedies, optionPlaces: _, ...wire } = reason;
  const comment = digest(value.comment, message, title, ...causes, "", ...remedies);
  return entry({ ...wire, number, deprecated: value.deprecated, comment });
}

function documented({ comment, deprecated }: { readonly comment: string; readonly deprecated: boolean }): Entry {
  return entry({ deprecated, comment: digest(comment) });
}

function prefixed(prefix: string, values: Loose): Loose {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));
}

/** Returns the digest of a comment, so that a change is detected. Empty: no comment. */
function digest(...texts: readonly (string | undefined)[]): string | undefined {
  if (texts.every((text) => text === undefined || text === "")) return undefined;
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 8);
}

/** Omits properties that are unset, false or empty, and sorts lists. */
function entry(properties: Loose): Entry {
  const kept = Object.entries(properties).flatMap(([name, value]): readonly (readonly [string, Value])[] => {
    if (value === undefined) return [];
    const zeroIsUnset = !name.startsWith("rules.") && name !== "number";
    if (zeroIsUnset && (value === false || value === "" || value === 0)) return [];
    if (typeof value !== "object") return [[name, value]];
    return value.length === 0 ? [] : [[name, [...value].sort()]];
  });
  return Object.fromEntries(kept);
}

function section(named: readonly Named[]): Lock["fields"] {
  return Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
}
