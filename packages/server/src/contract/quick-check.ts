import {
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  isMessage,
  type Message,
  type Registry,
  toJson,
  type UnknownField,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import {
  FieldRulesSchema,
  field as fieldRules,
  message as messageRules,
  oneof as oneofRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { isId } from "./id.js";

/** Returns true if a message certainly satisfies its constraints, false if the validator has to decide. */
export type QuickCheck = (message: Message) => boolean;

type Check = (value: unknown) => boolean;

/** The rules with a quick check, by type and name. Each check may reject valid values, and never accepts an invalid one. */
const checks: Readonly<Record<string, (bound: unknown) => Check | undefined>> = {
  "string.pattern": (bound) => {
    const pattern = new RegExp(String(bound), "u");
    return (value) => typeof value === "string" && pattern.test(value);
  },
  "string.[platform.options.v1.id]": (bound) => (bound === true ? isId : undefined),
  "string.in": (bound) => (Array.isArray(bound) ? (value) => bound.includes(value) : undefined),
  // The rules count characters: at most one for each UTF-16 code unit, and at least one for every two.
  "string.maxLen": (bound) => lengthOf((length) => length <= Number(bound)),
  "string.minLen": (bound) => lengthOf((length) => length >= 2 * Number(bound) - 1),
  // A UTF-16 code unit has at most three bytes in UTF-8.
  "string.maxBytes": (bound) => lengthOf((length) => 3 * length <= Number(bound)),
  "uint32.gte": (bound) => (value) => typeof value === "number" && value >= Number(bound),
  "uint32.lte": (bound) => (value) => typeof value === "number" && value <= Number(bound),
  "repeated.minItems": (bound) => (value) => Array.isArray(value) && value.length >= Number(bound),
  "repeated.maxItems": (bound) => (value) => Array.isArray(value) && value.length <= Number(bound),
  "repeated.items": (bound) => {
    const item = checkOf(membersOf(bound));
    return item && ((value) => Array.isArray(value) && value.every(item));
  },
};

/**
 * Compiles the constraints of a message into a check that takes a tenth of the validator's time and accepts nearly every
 * valid request. A message with any other kind of field or rule is left to the validator.
 */
export function compileQuickCheck(schema: DescMessage, registry: Registry): QuickCheck {
  return messageCheck(schema, new Set(), registry) ?? (() => false);
}

/** Returns undefined if a field or rule has no quick check, or the message contains itself. */
function messageCheck(
  schema: DescMessage,
  outer: ReadonlySet<DescMessage>,
  registry: Registry,
): QuickCheck | undefined {
  if (outer.has(schema) || hasOption(schema, messageRules)) return undefined;
  if (schema.oneofs.some((oneof) => hasOption(oneof, oneofRules))) return undefined;
  const inner = new Set([...outer, schema]);
  const all: (readonly [name: string, check: Check])[] = [];
  for (const field of schema.fields) {
    const check = fieldCheck(field, inner, registry);
    if (check === undefined) return undefined;
    all.push([field.localName, check]);
  }
  return (message) => {
    const values: Readonly<Record<string, unknown>> = Object(message);
    for (const [name, check] of all) if (!check(values[name])) return false;
    return true;
  };
}

function fieldCheck(field: DescField, outer: ReadonlySet<DescMessage>, registry: Registry): Check | undefined {
  if (field.oneof !== undefined) return undefined;
  const { ignore, required, ...rules } = rulesOf(field, registry);
  const isRequired = required === true;
  const check = checkOf(Object.entries(rules));
  // A nested message has its own constraints.
  const nested = field.message && messageCheck(field.message, outer, registry);
  if (check === undefined || (field.message !== undefined && nested === undefined)) return undefined;
  const isValid: Check = (value) => isMessage(value, field.message) && nested?.(value) === true;
  if (field.fieldKind === "message") {
    const hasRules = ignore !== undefined || Object.keys(rules).length > 0;
    return hasRules ? undefined : (value) => (value === undefined ? !isRequired : isValid(value));
  }
  if (isRequired || field.fieldKind === "map") return undefined;
  if (field.fieldKind === "list") {
    if (ignore !== undefined) return undefined;
    return nested ? (value) => check(value) && Array.isArray(value) && value.every(isValid) : check;
  }
  if (ignore === "IGNORE_IF_ZERO_VALUE") return (value) => isZero(value) || check(value);
  if (ignore !== undefined) return undefined;
  // A field with presence is only checked if it is set.
  return field.presence === FeatureSet_FieldPresence.IMPLICIT ? check : (value) => value === undefined || check(value);
}

/** Returns the check of all rules, or undefined if one of them has none. */
function checkOf(rules: readonly (readonly [type: string, rules: unknown])[]): Check | undefined {
  const all: Check[] = [];
  for (const [type, ofType] of rules) {
    for (const [rule, bound] of membersOf(ofType)) {
      const check = checks[`${type}.${rule}`]?.(bound);
      if (check === undefined) return undefined;
      all.push(check);
    }
  }
  const [first, ...others] = all;
  if (first === undefined) return () => true;
  return others.length === 0 ? first : (value) => all.every((check) => check(value));
}

function lengthOf(check: (length: number) => boolean): Check {
  return (value) => typeof value === "string" && check(value.length);
}

function isZero(value: unknown): boolean {
  return value === undefined || value === "" || value === 0 || value === false;
}

function rulesOf(field: DescField, registry: Registry): Readonly<Record<string, unknown>> {
  if (!hasOption(field, fieldRules)) return {};
  const rules = getOption(field, fieldRules);
  // JSON has no place for a predefined rule that the registry does not know.
  const ofType = FieldRulesSchema.fields.find(({ localName }) => localName === rules.type.case)?.message;
  const isKnown = ({ no }: UnknownField) => ofType && registry.getExtensionFor(ofType, no) !== undefined;
  if (rules.type.value?.$unknown?.every(isKnown) === false) return { unknown: true };
  return Object(toJson(FieldRulesSchema, rules, { registry }));
}

/** Returns the members of a JSON object. Any other value becomes one member without a name, for which there is no check. */
function membersOf(json: unknown): [string, unknown][] {
  return typeof json === "object" && json !== null && !Array.isArray(json) ? Object.entries(json) : [["", json]];
}
