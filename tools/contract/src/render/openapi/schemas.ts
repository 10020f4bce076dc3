import type { JsonObject } from "@bufbuild/protobuf";
import type { Contract, Enum, Field, Message } from "../../model/contract.ts";
import { celNotes } from "./constraints.ts";
import { allows, type Direction, enumOf, fieldSchema, shapeSchema, zeroOf } from "./field-schema.ts";
import type { PublishedApi } from "./published-api.ts";

export interface Schemas {
  /** Returns a reference to the schema of a message or enum. @throws TypeError when the contract does not contain it. */
  refer(name: string, direction: Direction): JsonObject;
  /** Adds another schema. @throws TypeError when there is one of that name. */
  add(name: string, schema: JsonObject): void;
  all(): JsonObject;
}

export function createSchemas({ contract, package: owner }: PublishedApi): Schemas {
  const created = new Map<string, { readonly of: string; readonly schema: JsonObject }>();

  function messageSchema(message: Message, direction: Direction): JsonObject {
    const properties = message.fields.map(
      (field) => [field.jsonName, fieldSchema(field, direction, contract, referTo)] as const,
    );
    const required = message.fields.filter((field) => isRequired(field, message, direction, contract));
    const notes = direction === "request" ? celNotes(message.rules) : [];
    return {
      type: "object",
      description: [message.comment, ...notes].join(" "),
      ...(message.deprecated && { deprecated: true }),
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required: required.map(({ jsonName }) => jsonName) }),
      ...oneofRules(message),
    };
  }

  function referTo(type: Message | Enum, direction: Direction): JsonObject {
    const name = nameOf(type, direction);
    const of = "values" in type ? type.name : `${type.name} (${direction})`;
    if (created.get(name)?.of !== of) {
      // The name is taken before the fields are read, because a message may contain itself.
      claim(name, of, {});
      created.set(name, { of, schema: "values" in type ? enumSchema(type) : messageSchema(type, direction) });
    }
    return schemaRef(name);
  }

  /** Returns the name within its package. Parts of requests have different rules from parts of responses, so a different name. */
  function nameOf(type: Message | Enum, direction: Direction): string {
    const local = type.name.slice(type.package.length + 1);
    const foreign = type.package !== owner.name;
    const taken =
      foreign && (contract.messages.has(`${owner.name}.${local}`) || contract.enums.has(`${owner.name}.${local}`));
    const name = taken ? type.name : local;
    return direction === "response" || "values" in type || name.endsWith("Request") ? name : `${name}Input`;
  }

  function claim(name: string, of: string, schema: JsonObject): void {
    const other = created.get(name);
    if (other !== undefined) throw new TypeError(`${of} and ${other.of} would share the schema ${name}: rename one`);
    created.set(name, { of, schema });
  }

  return {
    refer(name, direction) {
      const type = contract.messages.get(name) ?? contract.enums.get(name);
      if (type === undefined) throw new TypeError(`the contract does not contain ${name}`);
      return referTo(type, direction);
    },
    add: (name, schema) => claim(name, `the error schema ${name}`, schema),
    all() {
      const sorted = [...created].sort(([one], [other]) => (one < other ? -1 : 1));
      return Object.fromEntries(sorted.map(([name, { schema }]) => [name, schema]));
    },
  };
}

export function schemaRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function enumSchema({ values, comment, deprecated }: Enum): JsonObject {
  const meanings = values.map(
    (value) => `- \`${value.name}\`: ${value.comment}${value.deprecated ? " Deprecated." : ""}`,
  );
  return {
    ...enumOf(values.map(({ name }) => name)),
    description: [comment, meanings.join("\n")].join("\n\n"),
    ...(deprecated && { deprecated: true }),
  };
}

/** At most one field of each oneof, or exactly one. */
function oneofRules({ oneofs }: Message): JsonObject {
  const rules = oneofs.flatMap(({ fields, required }) => {
    const pairs = fields.flatMap((one, index) => fields.slice(index + 1).map((other) => ({ required: [one, other] })));
    return [
      ...(pairs.length > 0 ? [{ not: { anyOf: pairs } }] : []),
      ...(required ? [{ anyOf: fields.map((field) => ({ required: [field] })) }] : []),
    ];
  });
  return rules.length > 0 ? { allOf: rules } : {};
}

/**
 * Reports whether a field must be present. In a response every field is required, unless it states when it is absent. In a
 * request a field is required if its rules reject the value that a missing field is read as.
 */
export function isRequired(field: Field, message: Message, direction: Direction, contract: Contract): boolean {
  if (direction === "response") return !hasPresence(field) && !containsItself(field, message, contract);
  const { required } = field.rules;
  if (required === true) return true;
  if (hasPresence(field) || (field.shape === "singular" && field.type.kind === "message")) return false;
  return !allows(
    shapeSchema(field, direction, contract, () => ({})),
    zeroOf(field),
  );
}

function hasPresence({ shape, oneof, absentUntil }: Field): boolean {
  return shape === "optional" || oneof !== undefined || absentUntil !== undefined;
}

/** Reports whether a message contains itself: a required field of that type could never end. */
function containsItself(field: Field, message: Message, contract: Contract, seen: readonly string[] = []): boolean {
  if (field.shape !== "singular" || hasPresence(field) || field.type.kind !== "message") return false;
  if (field.type.name === message.name) return true;
  if (seen.includes(field.type.name)) return false;
  const inner = contract.messages.get(field.type.name)?.fields ?? [];
  return inner.some((each) => containsItself(each, message, contract, [...seen, field.type.name]));
}
