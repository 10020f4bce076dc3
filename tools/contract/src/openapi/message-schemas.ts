import type { DescMessage, FileRegistry, JsonObject } from "@bufbuild/protobuf";
import { commentOf } from "./comment.ts";
import { type Direction, fieldSchema, isRequired } from "./field-schema.ts";

/** The schemas of messages, made as they are asked for. */
export interface MessageSchemas {
  /** A reference to the schema of a message. Makes it, and all that it refers to. */
  refer(message: DescMessage, direction: Direction): JsonObject;
  /** What was made, by name. */
  readonly made: ReadonlyMap<string, JsonObject>;
}

export function createMessageSchemas(contract: FileRegistry): MessageSchemas {
  const made = new Map<string, JsonObject>();

  function schemaOf(message: DescMessage, direction: Direction): JsonObject {
    const refer = (inner: DescMessage) => referTo(inner, direction);
    const required = message.fields.filter((field) => isRequired(field, direction, contract));
    return {
      type: "object",
      description: commentOf(message),
      properties: Object.fromEntries(
        message.fields.map((field) => [field.jsonName, fieldSchema(field, direction, contract, refer)]),
      ),
      ...(required.length > 0 && { required: required.map((field) => field.jsonName) }),
    };
  }

  function referTo(message: DescMessage, direction: Direction): JsonObject {
    const name = nameOf(message, direction);
    if (!made.has(name)) {
      // Held before its fields are looked at: a message may hold itself.
      made.set(name, {});
      made.set(name, schemaOf(message, direction));
    }
    return schemaRef(name);
  }

  return { refer: referTo, made };
}

/** A reference to a schema of the document. */
export function schemaRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** The name of a message within its package. What is part of a request is told apart: it has other rules. */
function nameOf(message: DescMessage, direction: Direction): string {
  const name = message.typeName.slice(message.file.proto.package.length + 1);
  return direction === "response" || name.endsWith("Request") ? name : `${name}Input`;
}
