import {
  type DescEnumValue,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescOneof,
  type FileRegistry,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import {
  EnumValueOptionsSchema,
  FieldOptionsSchema,
  FileOptionsSchema,
  MessageOptionsSchema,
  MethodOptionsSchema,
  OneofOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import { z } from "zod";
import type { Rules } from "./contract.ts";

type Optioned = DescEnumValue | DescField | DescFile | DescMessage | DescMethod | DescOneof;

/** Our own options and those of buf.validate, by their full names. */
export const optionNames = {
  operation: "platform.options.v1.operation",
  call: "platform.options.v1.call",
  reason: "platform.options.v1.reason",
  field: "platform.options.v1.field",
  limits: "platform.options.v1.limits",
  headers: "platform.options.v1.headers",
} as const;

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

export const operationOption = z.object({
  visibility: word("VISIBILITY_").pipe(z.enum(["unspecified", "public", "private"])),
  requiredScopes: texts,
  retrySafety: word("RETRY_SAFETY_").pipe(z.enum(["unspecified", "idempotent", "with_key", "none"])),
  deprecation: z.object({ deprecatedOn: text, sunsetOn: text }).optional(),
});

export const callOption = z.object({
  errors: z.array(z.object({ reason: text, when: z.string().optional() })).default([]),
  rate: z.object({ perMinute: count, burst: count }).optional(),
  headers: texts,
});

export const reasonOption = z.object({
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
});

export const valueOption = z.object({
  documentedValues: texts,
  absentUntil: z.string().optional(),
  example: z.string().optional(),
});

export const limitsOption = z.record(z.string(), z.number());

const header = z
  .object({
    name: text,
    description: text,
    everyCall: flag,
    required: flag,
    const: z.string().optional(),
    pattern: z.string().optional(),
    minLen: count,
    maxLen: z.number().optional(),
    example: z.string().optional(),
  })
  .transform(({ minLen, maxLen, const: only, pattern, example, ...rest }) => ({
    ...rest,
    const: only,
    pattern,
    minLength: minLen,
    maxLength: maxLen,
    example,
  }));

export const headersOption = z.object({
  request: z.array(header).default([]),
  response: z.array(header).default([]),
});

/** Reads an option by reflection over the image's own extensions. Undefined: not set. */
export function readOption<Schema extends z.ZodType>(
  desc: Optioned,
  name: string,
  schema: Schema,
  registry: FileRegistry,
): z.infer<Schema> | undefined {
  const value = optionsOf(desc, registry, false)[`[${name}]`];
  return value === undefined ? undefined : schema.parse(value);
}

/** Reads constraints: `{"string.max_len": 128}`. */
export function readRules(desc: DescField | DescMessage | DescOneof, registry: FileRegistry): Rules {
  const entries = Object.entries(optionsOf(desc, registry, true))
    .filter(([name]) => name.startsWith("[buf.validate."))
    .flatMap(([, value]) => [...flatten("", value)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
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

const sizeRules = /(?:^|\.)(?:(?:min_|max_)?(?:len|bytes|len_bytes|items|pairs))$/;
const rulesOf64Bits = /(?:^|\.)(?:[us]?int64|s?fixed64)\.[a-z_]+$/;

/** JSON spells 64-bit numbers as strings. */
function exact(path: string, value: string | number | boolean): string | number | boolean {
  if (typeof value !== "string" || !(sizeRules.test(path) || rulesOf64Bits.test(path))) return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function optionsOf(desc: Optioned, registry: FileRegistry, useProtoFieldName: boolean): JsonObject {
  const { options } = desc.proto;
  if (options === undefined) return {};
  const as = { registry, useProtoFieldName };
  const json = (() => {
    switch (options.$typeName) {
      case "google.protobuf.EnumValueOptions":
        return toJson(EnumValueOptionsSchema, options, as);
      case "google.protobuf.FieldOptions":
        return toJson(FieldOptionsSchema, options, as);
      case "google.protobuf.FileOptions":
        return toJson(FileOptionsSchema, options, as);
      case "google.protobuf.MessageOptions":
        return toJson(MessageOptionsSchema, options, as);
      case "google.protobuf.MethodOptions":
        return toJson(MethodOptionsSchema, options, as);
      case "google.protobuf.OneofOptions":
        return toJson(OneofOptionsSchema, options, as);
    }
  })();
  return typeof json === "object" && json !== null && !Array.isArray(json) ? json : {};
}
