import { create, type DescMessage, type Message, type Registry } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { Violation as RuleViolation, Validator } from "@bufbuild/protovalidate";
import { compileQuickCheck, type QuickCheck } from "./quick-check.js";

/** A field or header that violates a rule. */
export interface Violation {
  /** The path of the field in JSON names, or the name of the header. */
  readonly field: string;
  /** The violated rule. Never contains the value. */
  readonly description: string;
}

/**
 * Returns the violations of a request, empty when it is valid. Each contains the field and the rule, never the value. Returns
 * a promise unless the quick check accepts the request.
 */
export type RequestValidator = (request: Message) => readonly Violation[] | Promise<readonly Violation[]>;

/** Loads protovalidate. Loading it and compiling its rules takes longer than the rest of the server's start. */
const importProtovalidate = () => import("@bufbuild/protovalidate");

/**
 * Creates a validator of requests from the constraints of the contract. A quick check accepts nearly every valid request.
 * protovalidate, loaded with the first request that needs it, decides on all others.
 *
 * The validator rejects with the error of the import when protovalidate cannot be loaded, and tries again for the next request.
 *
 * @throws TypeError when the contract does not contain one of `messages`.
 */
export function createRequestValidator(
  registry: Registry,
  messages: readonly DescMessage[],
  load = importProtovalidate,
): RequestValidator {
  const constrained = new Map(
    messages.map(({ typeName }) => {
      const message = registry.getMessage(typeName);
      if (message === undefined) throw new TypeError(`there are no constraints for ${typeName}`);
      // Compiled for the first request, so that the start does not wait for it.
      let compiled: QuickCheck | undefined;
      const certainlyValid: QuickCheck = (request) => {
        compiled ??= compileQuickCheck(message, registry);
        return compiled(request);
      };
      return [typeName, { schema: message, certainlyValid }];
    }),
  );
  let loading: Promise<Validator> | undefined;
  const loadValidator = (): Promise<Validator> => {
    loading ??= load()
      .then(({ createValidator }) => createValidator({ registry, regexMatch: createRegexMatch() }))
      .catch((thrown: unknown) => {
        loading = undefined;
        throw thrown;
      });
    return loading;
  };
  const findViolations = async (schema: DescMessage, request: Message): Promise<Violation[]> => {
    const result = (await loadValidator()).validate(schema, request);
    if (result.kind === "valid") return [];
    if (result.kind === "error") throw result.error;
    return result.violations.map(({ field, message }) => ({
      field: jsonPath(field),
      description: isMissing(schema, request, field) ? "is required" : message,
    }));
  };

  return (request) => {
    const known = constrained.get(request.$typeName);
    if (known === undefined) throw new TypeError(`there are no constraints for ${request.$typeName}`);
    const { schema, certainlyValid } = known;
    return certainlyValid(request) ? [] : findViolations(schema, request);
  };
}

/** Loads protovalidate, and compiles the constraints of some messages of a validator. */
export async function prepareValidator(validate: RequestValidator, messages: readonly DescMessage[]): Promise<void> {
  // Most empty messages lack a required field, so the quick check does not accept them.
  for (const message of messages) await validate(create(message));
}

/** The patterns of the contract are trusted and run in linear time; native regular expressions are faster than RE2. */
function createRegexMatch(): (pattern: string, against: string) => boolean {
  const patterns = new Map<string, RegExp>();
  return (pattern, against) => {
    let compiled = patterns.get(pattern);
    if (compiled === undefined) {
      compiled = new RegExp(pattern, "u");
      patterns.set(pattern, compiled);
    }
    return compiled.test(against);
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
