import {
  type DescEnumValue,
  type DescExtension,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescOneof,
  type DescService,
  getOption,
  hasOption,
  isMessage,
  type JsonObject,
  type JsonValue,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { z } from "zod";

export type Optioned = DescEnumValue | DescField | DescFile | DescMessage | DescMethod | DescOneof | DescService;

/** Flattened options with sorted keys. 64-bit numbers are numbers when they are safe integers. */
export type Rules = Readonly<Record<string, string | number | boolean | readonly (string | number | boolean)[]>>;

// A check parses each schema so few times that compiling it first would take longer.
z.config({ jitless: true });

const text = z.string().default("");
const texts = z.array(z.string()).default([]);
const count = z.number().default(0);
const flag = z.boolean().default(false);
/** `CODE_NOT_FOUND` as `not_found`. */
const word = <const Prefix extends string>(prefix: Prefix) =>
  z
    .string()
    .default(`${prefix}UNSPECIFIED`)
    .transform((value) => value.slice(prefix.length).toLowerCase());
const header = z.strictObject({
  name: text,
  description: text,
  everyCall: flag,
  required: flag,
  const: z.string().optional(),
  pattern: z.string().optional(),
  minLen: count,
  maxLen: z.number().optional(),
  example: z.string().optional(),
});

/** The options (platform.options.v1.*), by name. A field that is not here is an error, so that none goes unnoticed. */
export const optionSchemas = {
  operation: z.strictObject({
    visibility: word("VISIBILITY_").pipe(z.enum(["unspecified", "public", "private"])),
    requiredScopes: texts,
    retrySafety: word("RETRY_SAFETY_").pipe(z.enum(["unspecified", "idempotent", "with_key", "none"])),
    deprecation: z.strictObject({ deprecatedOn: text, sunsetOn: text }).optional(),
  }),
  call: z.strictObject({
    errors: z.array(z.strictObject({ reason: text, when: z.string().optional() })).default([]),
    /** Calls of one principal. */
    rate: z.strictObject({ perMinute: count, burst: count }).optional(),
    headers: texts,
    /** The maximum size of a request body, if it is larger than the limit of the package. 0: it is not. */
    bodyBytes: count,
  }),
  reason: z.strictObject({
    /** As Connect spells it: `not_found`. */
    code: word("CODE_"),
    httpStatus: count,
    message: text,
    title: text,
    causes: texts,
    remedies: texts,
    details: texts,
    headers: texts,
    everyCall: flag,
    neverSent: flag,
  }),
  field: z.strictObject({
    documentedValues: texts,
    absentUntil: z.string().optional(),
    /** A typical value: the text of a string (`""` if it is empty), otherwise JSON. */
    example: z.string().optional(),
  }),
  limits: z.record(z.string(), z.number()),
  headers: z.strictObject({ request: z.array(header).default([]), response: z.array(header).default([]) }),
};

export type OptionName = keyof typeof optionSchemas;
export type Option<Name extends OptionName> = Readonly<z.infer<(typeof optionSchemas)[Name]>>;

/** Finds one of our own options by its name. Undefined when the contract does not define it. */
export function optionNamed(name: OptionName, registry: Registry): DescExtension | undefined {
  return registry.getExtension(`platform.options.v1.${name}`);
}

/** Reads one of our own options. Undefined: not set. */
export function readOption<Name extends OptionName>(
  desc: Optioned,
  name: Name,
  registry: Registry,
): Option<Name> | undefined {
  const value = optionJson(desc, optionNamed(name, registry), registry, false);
  const schemas: { readonly [Each in OptionName]: z.ZodType<Option<Each>> } = optionSchemas;
  return value === undefined ? undefined : schemas[name].parse(value);
}

/** Reads an option of an operation, and what its service says for all of its operations. */
export function readOperationOption<Name extends "operation" | "call">(
  method: DescMethod,
  name: Name,
  registry: Registry,
): Option<Name> {
  const ofAll = registry.getExtension(`platform.options.v1.${name}s`);
  const option = merge(
    optionJson(method.parent, ofAll, registry, false) ?? {},
    optionJson(method, optionNamed(name, registry), registry, false) ?? {},
  );
  const schemas: { readonly [Each in OptionName]: z.ZodType<Option<Each>> } = optionSchemas;
  return schemas[name].parse(option);
}

/** Merges the JSON of two messages as protobuf does: lists are joined, other members of the second take precedence. */
function merge(first: JsonValue, second: JsonValue): JsonValue {
  if (Array.isArray(first) && Array.isArray(second)) return [...first, ...second];
  if (!isObject(first) || !isObject(second)) return second;
  const merged = Object.entries(second).map(([key, value]) => [key, merge(first[key] ?? null, value)] as const);
  return { ...first, ...Object.fromEntries(merged) };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads constraints: `{"string.max_len": 128}`. */
export function readRules(desc: DescField | DescMessage | DescOneof, registry: Registry): Rules {
  const extension = registry.getExtension(`buf.validate.${desc.kind}`);
  const rules = optionJson(desc, extension, registry, true);
  return Object.fromEntries([...flatten("", rules ?? null)].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function optionJson(
  desc: Optioned,
  extension: DescExtension | undefined,
  registry: Registry,
  useProtoFieldName: boolean,
): JsonValue | undefined {
  if (extension?.fieldKind !== "message" || !hasOption(desc, extension)) return undefined;
  const value = getOption(desc, extension);
  return isMessage(value, extension.message)
    ? toJson(extension.message, value, { registry, useProtoFieldName })
    : undefined;
}

type RuleValue = Rules[string];

function* flatten(path: string, value: JsonValue): Generator<readonly [string, RuleValue]> {
  if (Array.isArray(value)) {
    const plain = value.flatMap((entry) => (entry === null || typeof entry === "object" ? [] : [exact(path, entry)]));
    if (plain.length === value.length) yield [path, plain];
    else for (const [index, entry] of value.entries()) yield* flatten(`${path}[${index}]`, entry);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, entry] of Object.entries(value)) yield* flatten(path === "" ? key : `${path}.${key}`, entry);
  } else if (value !== null) {
    yield [path, exact(path, value)];
  }
}

const rulesOf64Bits =
  /(?:^|\.)(?:(?:(?:min_|max_)?(?:len|bytes|len_bytes|items|pairs))|(?:[us]?int64|s?fixed64)\.[a-z_]+)$/;

/** JSON spells 64-bit numbers as strings. */
function exact(path: string, value: string | number | boolean): string | number | boolean {
  if (typeof value !== "string" || !rulesOf64Bits.test(path)) return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
