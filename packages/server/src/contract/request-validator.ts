import type { DescMessage, FileRegistry, Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { createValidator, type Violation as RuleViolation } from "@bufbuild/protovalidate";
import { compileQuickCheck } from "./quick-check.js";

/** A field or header that violates a rule. */
export interface Violation {
  /** The path of the field in JSON names, or the name of the header. */
  readonly field: string;
  /** The violated rule. Never contains the value. */
  readonly description: string;
}

/** Returns the violations of a request, empty when it is valid. Each contains the field and the rule, never the value. */
export type RequestValidator = (request: Message) => Violation[];

/**
 * Creates a validator of requests from the constraints of the contract.
 *
 * The messages are compiled at once, because the first use of a type takes tens of milliseconds.
 *
 * @throws TypeError when the contract does not contain one of `messages`.
 */
export function createRequestValidator(registry: FileRegistry, messages: readonly DescMessage[]): RequestValidator {
  // The patterns of the contract are trusted and run in linear time; native regular expressions are faster than RE2.
  const patterns = new Map<string, RegExp>();
  const validator = createValidator({
    regexMatch(pattern, against) {
      let compiled = patterns.get(pattern);
      if (compiled === undefined) {
        compiled = new RegExp(pattern, "u");
        patterns.set(pattern, compiled);
      }
      return compiled.test(against);
    },
  });
  const constrained = new Map(
    messages.map(({ typeName }) => {
      const message = registry.getMessage(typeName);
      if (message === undefined) throw new TypeError(`there are no constraints for ${typeName}`);
      validator.validate(message, { $typeName: typeName });
      return [typeName, { schema: message, certainlyValid: compileQuickCheck(message) }];
    }),
  );

  return (request) => {
    const known = constrained.get(request.$typeName);
    if (known === undefined) throw new TypeError(`there are no constraints for ${request.$typeName}`);
    const { schema, certainlyValid } = known;
    if (certainlyValid(request)) return [];
    const result = validator.validate(schema, request);
    if (result.kind === "valid") return [];
    if (result.kind === "error") throw result.error;
    return result.violations.map(({ field, message }) => ({
      field: jsonPath(field),
      description: isMissing(schema, request, field) ? "is required" : message,
    }));
  };
}

/** Returns whether a violation is due to a missing field. "does not match" would make the caller look for a typo. */
function isMissing(schema: DescMessage, request: Message, [field, ...deeper]: RuleViolation["field"]): boolean {
  if (field?.kind !== "field" || field.fieldKind !== "scalar" || deeper.length > 0) return false;
  return !reflect(schema, request).isSet(field);
}

/** Returns the path of a field in JSON names, such as `wrappedKeys[0].wrapAlg`. */
function jsonPath(path: RuleViolation["field"]): string {
  return path
    .map((part) => {
      if (part.kind === "field") return `.${part.jsonName}`;
      return part.kind === "list_sub" ? `[${part.index}]` : "";
    })
    .join("")
    .replace(/^\./, "");
}
