import type { Contract, Enum, EnumValue, Field, Message, Operation, OptionPlaces, Package } from "../model/contract.ts";
import type { Place } from "../model/finding.ts";

type Scalar = string | number | boolean;
export type Value = Scalar | readonly Scalar[];

/** What a path can name. `headers` are all headers of a direction, a `reason` is the value of an enum of reasons. */
const kinds = [
  "package",
  "headers",
  "header",
  "service",
  "operation",
  "message",
  "field",
  "oneof",
  "enum",
  "value",
  "reason",
  "extension",
] as const;
export type Kind = (typeof kinds)[number];

/** An element of the contract: `field platform.v1.Item.itemId`. */
export type Path = `${Kind} ${string}`;

/**
 * One thing that callers of the published packages rely on. A list is one fact for each entry; what is false, empty or unset is no
 * fact. Every element has the fact `in`: the path of the element that contains it.
 */
export interface Fact {
  readonly path: Path;
  readonly property: string;
  readonly value: Value;
  readonly place: Place;
}

type Properties = Readonly<Record<string, Value | undefined>>;
interface Element {
  readonly place: Place;
  readonly comment?: string;
  readonly deprecated?: boolean;
  readonly optionPlaces?: OptionPlaces;
}

export function factsOf(contract: Contract): readonly Fact[] {
  const partsIn = <Part extends { readonly package: string }>(parts: ReadonlyMap<string, Part>, { name }: Package) =>
    [...parts.values()].filter((part) => part.package === name);
  return [...contract.packages.values()]
    .filter(({ published }) => published)
    .flatMap((found) => {
      const path: Path = `package ${found.name}`;
      const enums = partsIn(contract.enums, found);
      const extensions = [...contract.extensions.values()].filter(({ name }) => parentOf(name) === found.name);
      return [
        ...element(path, "", { ...found, optionPlaces: found.limitPlaces }, prefixed("limits", found.limits)),
        ...headerFacts(found, "request"),
        ...headerFacts(found, "response"),
        ...partsIn(contract.services, found).flatMap((service) => element(`service ${service.name}`, path, service)),
        ...partsIn(contract.operations, found).flatMap((operation) => operationFacts(operation, enums, found)),
        ...partsIn(contract.messages, found).flatMap((message) => messageFacts(message, path)),
        ...enums.flatMap((each) => [
          ...element(`enum ${each.name}`, path, each),
          ...each.values.flatMap((value) => valueFacts(value, each)),
        ]),
        ...extensions.flatMap((extension) => {
          const { number, extendee, type } = extension;
          return element(`extension ${extension.name}`, path, extension, { number, extendee, type: type.name });
        }),
      ];
    });
}

export function kindOf(path: Path): Kind {
  const kind = kinds.find((each) => path.startsWith(`${each} `));
  if (kind === undefined) throw new Error(`No kind of element is named ${path}.`);
  return kind;
}

export function nameOf(path: string): string {
  return path.slice(path.indexOf(" ") + 1);
}

/** Returns `platform.v1.Item` for `platform.v1.Item.itemId`, and the package of an operation. */
export function parentOf(name: string): string {
  return name.slice(0, name.lastIndexOf("."));
}

function headerFacts(owner: Package, direction: "request" | "response"): readonly Fact[] {
  const headers = owner[`${direction}Headers`];
  const [first] = headers;
  if (first === undefined) return [];
  const group: Path = `headers ${owner.name} ${direction}`;
  const [sent, received] = [direction === "request", direction === "response"];
  return [
    ...element(group, `package ${owner.name}`, { place: first.place }, { sent, received }),
    ...headers.flatMap(({ place, name, description, example, minLen, maxLen, ...rest }) =>
      element(
        `header ${owner.name} ${direction} ${name}`,
        group,
        { place, comment: description },
        { ...rest, min_len: minLen, max_len: maxLen, example },
      ),
    ),
  ];
}

function operationFacts(operation: Operation, enums: readonly Enum[], { limits }: Package): readonly Fact[] {
  const { service, request, response, visibility, requiredScopes, retrySafety, errors, headers, bodyBytes } = operation;
  const { bodyBytes: packageBytes = 0 } = limits ?? {};
  const everyCall = enums.flatMap(({ values }) => values.filter(({ reason }) => reason?.everyCall));
  return element(`operation ${operation.name}`, `service ${service}`, operation, {
    request,
    response,
    visibility,
    requiredScopes,
    retrySafety,
    ...operation.deprecation,
    errors: [...new Set([...errors.map(({ reason }) => reason), ...everyCall.map(({ localName }) => localName)])],
    ...prefixed("when", Object.fromEntries(errors.map(({ reason, when }) => [reason, when]))),
    ...prefixed("rate", operation.rate),
    // A server accepts the larger of the two.
    bodyBytes: bodyBytes && Math.max(bodyBytes, packageBytes),
    headers,
  });
}

function messageFacts(message: Message, owner: Path): readonly Fact[] {
  const { name, sent, received, rules, fields, oneofs } = message;
  const path: Path = `message ${name}`;
  return [
    ...element(path, owner, message, { sent, received, ...prefixed("rules", rules) }),
    ...fields.flatMap((field) => fieldFacts(field, message)),
    ...oneofs.flatMap((oneof) => element(`oneof ${name}.${oneof.name}`, path, oneof, { required: oneof.required })),
  ];
}

function fieldFacts(field: Field, { name }: Message): readonly Fact[] {
  const { number, oneof, documentedValues, secret, example } = field;
  // A message has presence, with `optional` and without.
  const isOptional = field.shape === "optional" && field.type.kind !== "message";
  return element(`field ${name}.${field.jsonName}`, `message ${name}`, field, {
    number,
    type: typeOf(field),
    presence: [isOptional && "optional", field.absentUntil && `absent until ${field.absentUntil}`]
      .filter(Boolean)
      .join(", "),
    oneof,
    documentedValues,
    secret,
    example,
    ...prefixed("rules", field.rules),
  });
}

function typeOf({ shape, keyType, type }: Field): string {
  const name = type.kind === "enum" ? `enum ${type.name}` : type.name;
  if (shape === "map") return `map<${keyType}, ${name}>`;
  return shape === "repeated" ? `repeated ${name}` : name;
}

function valueFacts({ localName, number, reason, ...value }: EnumValue, { name }: Enum): readonly Fact[] {
  const owner: Path = `enum ${name}`;
  if (reason === undefined) return element(`value ${name}.${localName}`, owner, value, { number });
  const { message, title, causes, optionPlaces, ...wire } = reason;
  const wording = [message, title, ...causes].join("\n");
  return element(`reason ${name}.${localName}`, owner, { ...value, optionPlaces }, { ...wire, number, wording });
}

function prefixed(prefix: string, values: Properties = {}): Properties {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));
}

function element(
  path: Path,
  owner: Path | "",
  { place, comment = "", deprecated = false, optionPlaces = {} }: Element,
  properties: Properties = {},
): readonly Fact[] {
  const facts = Object.entries({ ...properties, deprecated, comment }).flatMap(([property, value]) => {
    const at = optionPlaces[optionOf(property)] ?? place;
    return valuesOf(property, value).map((each) => ({ path, property, value: each, place: at }));
  });
  return [{ path, property: "in", value: owner, place }, ...facts];
}

/** Returns the part of an option that contains a property. */
function optionOf(property: string): string {
  if (/^(?:deprecatedOn|sunsetOn|deprecated)$/.test(property)) return "deprecation";
  if (property.startsWith("when.")) return "errors";
  return property.replace(/^limits\./, "").replace(/\..*/, "");
}

/** Lists of texts and of the values that a constraint admits are one value. Of other lists, each entry is one. */
function valuesOf(property: string, value: Value | undefined): readonly Value[] {
  const zeroIsUnset = !property.startsWith("rules.") && property !== "number";
  if (value === undefined || (zeroIsUnset && (value === false || value === "" || value === 0))) return [];
  if (typeof value !== "object") return [value];
  if (value.length === 0 || !/^(?:rules\.|remedies$)/.test(property)) return value;
  return [[...value].sort()];
}
