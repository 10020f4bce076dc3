import { createFileRegistry, type DescMessage, fromBinary, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { base64Decode } from "@bufbuild/protobuf/wire";
import {
  FileDescriptorSetSchema,
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_field_mask,
  file_google_protobuf_timestamp,
} from "@bufbuild/protobuf/wkt";
import { createValidator, type Violation as RuleViolation } from "@bufbuild/protovalidate";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import type { Violation } from "./rpc-error.js";

const imports = [
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_field_mask,
  file_google_protobuf_timestamp,
  file_buf_validate_validate,
];

/**
 * Judges requests by the constraints in the contract.
 *
 * Published messages carry no constraints, so that browsers need no protovalidate; they are loaded here from
 * `constraints`, a google.protobuf.FileDescriptorSet in base64. All of `messages` are compiled at once, because the
 * first use of a type takes tens of milliseconds.
 *
 * @throws TypeError when one of `messages` is not among the constraints.
 */
export function createRequestValidator(constraints: string, messages: readonly DescMessage[]) {
  const set = fromBinary(FileDescriptorSetSchema, base64Decode(constraints));
  set.file.unshift(...imports.map((file) => file.proto));
  const registry = createFileRegistry(set);
  // The patterns of the contract are our own and linear; the engine's regular expressions are faster than RE2's.
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
      return [typeName, message];
    }),
  );

  /** What is wrong with a request: nothing, or each field and the rule that it breaks. */
  return (request: Message): Violation[] => {
    const schema = constrained.get(request.$typeName);
    if (schema === undefined) throw new TypeError(`there are no constraints for ${request.$typeName}`);
    const result = validator.validate(schema, request);
    if (result.kind === "valid") return [];
    if (result.kind === "error") throw result.error;
    return result.violations.map(({ field, message }) => ({
      field: jsonPath(field),
      description: isMissing(schema, request, field) ? "is required" : message,
    }));
  };
}

/** Whether a rule is broken because its field is not there: "does not match" would send its caller looking for a typo. */
function isMissing(schema: DescMessage, request: Message, [field, ...deeper]: RuleViolation["field"]): boolean {
  if (field?.kind !== "field" || field.fieldKind !== "scalar" || deeper.length > 0) return false;
  return !reflect(schema, request).isSet(field);
}

/** The path of a field in its JSON spelling, as `wrappedKeys[0].wrapAlg`. */
function jsonPath(path: RuleViolation["field"]): string {
  return path
    .map((part) => {
      if (part.kind === "field") return `.${part.jsonName}`;
      return part.kind === "list_sub" ? `[${part.index}]` : "";
    })
    .join("")
    .replace(/^\./, "");
}
