import type { Value } from "../facts/facts.ts";

/** Numeric bounds, by the direction in which they accept more. */
const upper = /(?:^|\.)(?:max_len|max_bytes|max_items|max_pairs|lte|lt)$/;
const lower = /(?:^|\.)(?:min_len|min_bytes|min_items|min_pairs|gte|gt)$/;

/** Reports whether constraint `rule` accepts every value it accepted before. Unknown changes count as stricter. */
export function loosens(rule: string, was: Value | undefined, is: Value | undefined): boolean {
  // `ignore` is the only rule that disables others.
  if (rule.endsWith(".ignore")) return was === undefined;
  if (is === undefined || is === false) return true;
  if (was === undefined) return false;
  if (typeof was === "number" && typeof is === "number") {
    return (upper.test(rule) && is > was) || (lower.test(rule) && is < was);
  }
  if (Array.isArray(was) && Array.isArray(is)) {
    const [larger, smaller] = rule.endsWith(".not_in") ? [was, is] : [is, was];
    return /\.(?:not_)?in$/.test(rule) && smaller.every((value) => larger.includes(value));
  }
  return false;
}

/** Rules that an absent value ("", 0, false, []) always satisfies, whatever their bound is. */
const satisfiedByZero =
  /\.(?:max_len|max_bytes|max_items|max_pairs|unique|defined_only|not_contains|strict|finite|example)$|^rules\.(?:repeated\.items|map\.(?:keys|values))\./;

/** Reports whether requests without the field are rejected: without presence, an absent field is validated as its zero value. */
export function rejectsAbsence(field: Readonly<Record<string, Value>>): boolean {
  const rules = Object.entries(field).filter(([name]) => name.startsWith("rules."));
  if (rules.some(([name, value]) => name === "rules.required" && value === true)) return true;
  const { type = "", presence, oneof, "rules.ignore": ignore } = field;
  const message = !/^(?:repeated |map<|enum )/.test(String(type)) && String(type).includes(".");
  if (String(presence).startsWith("optional") || oneof !== undefined || ignore !== undefined || message) return false;
  return rules.some(([name, value]) => rejectsZero(name, value));
}

function rejectsZero(rule: string, bound: Value): boolean {
  if (bound === false || satisfiedByZero.test(rule)) return false;
  switch (/\.([a-z_]+)$/.exec(rule)?.[1]) {
    case "min_len":
    case "min_bytes":
    case "min_items":
    case "min_pairs":
    case "len":
    case "len_bytes":
    case "gte":
      return Number(bound) > 0;
    case "gt":
      return Number(bound) >= 0;
    case "lt":
      return Number(bound) <= 0;
    case "lte":
      return Number(bound) < 0;
    case "const":
    case "prefix":
    case "suffix":
    case "contains":
      return !isZero(bound);
    case "in":
      return Array.isArray(bound) && !bound.some(isZero);
    case "not_in":
      return Array.isArray(bound) && bound.some(isZero);
    case "pattern":
      return !new RegExp(String(bound), "u").test("");
    case "required":
      return false;
    default:
      // CEL, formats such as email, and rules of the future: not known to accept an empty value.
      return true;
  }
}

function isZero(value: Value): boolean {
  return value === "" || value === 0 || value === false || (Array.isArray(value) && value.length === 0);
}
