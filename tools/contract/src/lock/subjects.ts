import { createHash } from "node:crypto";
import type {
  Contract,
  EnumValue,
  Field,
  Header,
  Message,
  Operation,
  OptionPlaces,
  Package,
} from "../model/contract.ts";
import type { Place } from "../model/finding.ts";
import type { Entry, Kind, Value } from "./lock.ts";

/** A part of the contract that the lock contains: its properties, and where they are written. */
export interface Subject {
  readonly kind: Kind;
  readonly name: string;
  readonly entry: Entry;
  readonly place: Place;
  readonly optionPlaces: OptionPlaces;
}

type Properties = Readonly<Record<string, Value | readonly (string | number | boolean)[] | undefined>>;
type Commented = { readonly comment?: string; readonly deprecated?: boolean };

/** Returns the subjects of the published packages of a contract, by kind. */
export function subjectsOf(contract: Contract): Readonly<Record<Kind, readonly Subject[]>> {
  const packages = [...contract.packages.values()].filter(({ published }) => published);
  const names = new Set(packages.map(({ name }) => name));
  const published = <Part extends { readonly package: string }>(parts: ReadonlyMap<string, Part>) =>
    [...parts.values()].filter((part) => names.has(part.package));
  const messages = published(contract.messages);
  const enums = published(contract.enums);
  const extensions = [...contract.extensions.values()].filter(({ name }) => names.has(parentOf(name)));
  return {
    packages: packages.map((found) =>
      subject(
        "packages",
        found.name,
        found,
        { ...documented(found), ...prefixed("limits", found.limits) },
        found.limitPlaces,
      ),
    ),
    headers: packages.flatMap((found) => [...headersOf(found, "request"), ...headersOf(found, "response")]),
    services: published(contract.services).map((found) => subject("services", found.name, found, documented(found))),
    operations: published(contract.operations).map((found) =>
      subject("operations", found.name, found, operationEntry(found), found.optionPlaces),
    ),
    messages: messages.map((found) => subject("messages", found.name, found, messageEntry(found))),
    fields: messages.flatMap(({ name, fields }) =>
      fields.map((field) => subject("fields", `${name}.${field.jsonName}`, field, fieldEntry(field))),
    ),
    oneofs: messages.flatMap(({ name, oneofs }) =>
      oneofs.map((oneof) => subject("oneofs", `${name}.${oneof.name}`, oneof, { required: oneof.required })),
    ),
    enums: enums.map((found) => subject("enums", found.name, found, documented(found))),
    values: enums.flatMap(({ name, values }) =>
      values.map((found) =>
        subject("values", `${name}.${found.localName}`, found, valueEntry(found), found.reason?.optionPlaces),
      ),
    ),
    extensions: extensions.map((found) => {
      const { name, number, extendee, type } = found;
      return subject("extensions", name, found, { ...documented(found), number, extendee, type: type.name });
    }),
  };
}

/** Returns `platform.v1.Item` for `platform.v1.Item.itemId`. */
export function parentOf(name: string): string {
  return name.slice(0, name.lastIndexOf("."));
}

function subject(
  kind: Kind,
  name: string,
  { place }: { readonly place: Place },
  properties: Properties,
  optionPlaces: OptionPlaces = {},
): Subject {
  return { kind, name, entry: entryOf(properties), place, optionPlaces };
}

function headersOf(owner: Package, direction: "request" | "response"): readonly Subject[] {
  return owner[`${direction}Headers`].map((header: Header) => {
    const { place: _, name, description, example, minLen, maxLen, ...rest } = header;
    const properties = { ...rest, min_len: minLen, max_len: maxLen, comment: digest(description, example) };
    return subject("headers", `${owner.name} ${direction} ${name}`, header, properties);
  });
}

function operationEntry(operation: Operation): Properties {
  const { request, response, visibility, requiredScopes, retrySafety, errors, headers, comment, deprecated } =
    operation;
  const conditions = errors.flatMap(({ reason, when }) => (when === undefined ? [] : [`${reason}: ${when}`])).sort();
  return {
    request,
    response,
    visibility,
    requiredScopes,
    retrySafety,
    ...operation.deprecation,
    errors: errors.map(({ reason }) => reason),
    ...prefixed("rate", operation.rate),
    headers,
    deprecated,
    comment: digest(comment, ...conditions),
  };
}

function messageEntry({ sent, received, rules, ...message }: Message): Properties {
  return { ...documented(message), sent, received, ...prefixed("rules", rules) };
}

function fieldEntry(field: Field): Properties {
  const { number, oneof, documentedValues, secret, deprecated, comment, example } = field;
  return {
    number,
    type: typeOf(field),
    presence: field.shape === "optional" ? "optional" : field.absentUntil && `absent until ${field.absentUntil}`,
    oneof,
    documentedValues,
    secret,
    ...prefixed("rules", field.rules),
    deprecated,
    comment: digest(comment, example),
  };
}

function typeOf({ shape, keyType, type }: Field): string {
  const name = type.kind === "enum" ? `enum ${type.name}` : type.name;
  if (shape === "map") return `map<${keyType}, ${name}>`;
  return shape === "repeated" ? `repeated ${name}` : name;
}

function valueEntry({ number, reason, ...value }: EnumValue): Properties {
  if (reason === undefined) return { ...documented(value), number };
  const { message, title, causes, remedies, optionPlaces: _, ...wire } = reason;
  const comment = digest(value.comment, message, title, ...causes, "", ...remedies);
  return { ...wire, number, deprecated: value.deprecated, comment };
}

function documented({ comment, deprecated }: Commented): Properties {
  return { deprecated, comment: digest(comment) };
}

function prefixed(prefix: string, values: Properties = {}): Properties {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));
}

/** Returns the digest of texts, so that a change is detected. Empty: no text. */
function digest(...texts: readonly (string | undefined)[]): string | undefined {
  if (texts.every((text) => text === undefined || text === "")) return undefined;
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 8);
}

/** Omits properties that are unset, false or empty, and sorts lists. */
function entryOf(properties: Properties): Entry {
  const kept = Object.entries(properties).flatMap(([name, value]): readonly (readonly [string, Value])[] => {
    if (value === undefined) return [];
    const zeroIsUnset = !name.startsWith("rules.") && name !== "number";
    if (zeroIsUnset && (value === false || value === "" || value === 0)) return [];
    if (typeof value !== "object") return [[name, value]];
    return value.length === 0 ? [] : [[name, [...value].sort()]];
  });
  return Object.fromEntries(kept);
}
