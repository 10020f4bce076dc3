import { create, type DescField, type DescMessage, type Registry } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import type { ContractOptions } from "../contract-options.ts";

/** Which fields messages must have. */
export interface Presence {
  /** Returns the fields without which a server rejects a request. */
  inRequest(message: DescMessage): ReadonlySet<DescField>;
  /** Reports whether every response that contains the message has the field. */
  inResponse(field: DescField): boolean;
}

/** Creates the rules of presence, from the constraints and options of the fields. */
export function createPresence({ absentUntil }: ContractOptions, registry: Registry): Presence {
  const validator = createValidator({ registry });
  const mayBeAbsent = (field: DescField) =>
    field.proto.proto3Optional ||
    field.oneof !== undefined ||
    absentUntil(field) !== undefined ||
    /^google\.protobuf\.\w+Value$/.test(field.message?.typeName ?? "");
  /** Reports whether a message contains itself: a required field of that type could never end. */
  const containsItself = (field: DescField, message: DescMessage, around: readonly DescMessage[]): boolean => {
    const inner = field.fieldKind === "message" && !mayBeAbsent(field) ? field.message : undefined;
    if (inner === undefined || around.includes(inner)) return false;
    return inner === message || inner.fields.some((each) => containsItself(each, message, [...around, inner]));
  };
  return {
    inRequest(message) {
      const { violations = [], error } = validator.validate(message, create(message));
      if (error && violations.length === 0) throw error;
      return new Set(message.fields.filter((field) => violations.some(({ field: [first] }) => first === field)));
    },
    inResponse: (field) => !mayBeAbsent(field) && !containsItself(field, field.parent, []),
  };
}
