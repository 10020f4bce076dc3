import type { Lock } from "./schema.ts";
import { sorted } from "./sorted.ts";

type Described = Pick<Lock, "operations" | "messages" | "reasons">;

/** A lock without all that is read from comments: what an image that was built without them can tell. */
export function wordless({ operations, messages, reasons }: Described) {
  return {
    operations: mapped(operations, ({ comment: _, errors: _errors, ...rest }) => rest),
    messages: mapped(messages, ({ sent, constraints, fields }) => ({
      sent,
      constraints,
      fields: mapped(fields, (field) => ({ number: field.number, type: field.type, constraints: field.constraints })),
    })),
    reasons: mapped(reasons, ({ code, httpStatus }) => ({ code, httpStatus })),
  };
}

function mapped<From, To>(record: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return sorted(Object.entries(record).map(([name, value]) => [name, map(value)] as const));
}
