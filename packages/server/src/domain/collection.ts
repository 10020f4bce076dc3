import type { Write } from "./decision.js";
import type { StoredRecord } from "./record.js";
import type { Schema } from "./schema.js";

/** The tenant of what belongs to the installation, such as the last reading of its clocks. No tenant of a caller has this id. */
export const installation = "-";

/** A document that is to be written. */
export interface NewDocument<Value> {
  /** Unique in its collection. */
  readonly key: string;
  readonly tenantId: string;
  readonly value: Value;
}

/** The documents of one kind. */
export interface Collection<Value> {
  /** Identifies a document in a storage. */
  ref(key: string): { readonly kind: "record"; readonly collection: string; readonly key: string };
  /** Returns the value of a stored document. Undefined if there is none. @throws DocumentError */
  read(stored: StoredRecord | undefined): Value | undefined;
  /** Returns the write that creates a document, or replaces the stored one. */
  put(
    stored: StoredRecord | undefined,
    document: NewDocument<Value>,
    now: number,
  ): Extract<Write, { readonly kind: "record" }>;
}

/** Thrown when a stored document does not have the shape that its collection says. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";

  constructor({ collection, key }: Pick<StoredRecord, "collection" | "key">, cause: unknown) {
    super(
      `The stored document ${key} of the collection ${collection} is damaged, or another version of the program wrote it. ` +
        "Start that version, or restore a backup.",
      { cause },
    );
  }
}

/** Defines a kind of document. The schema is checked whenever one is read. */
export function defineCollection<Value>(collection: string, schema: Schema<Value>): Collection<Value> {
  return {
    ref: (key) => ({ kind: "record", collection, key }),

    read(stored) {
      if (stored === undefined) return undefined;
      try {
        return schema(parsed(stored.value));
      } catch (error) {
        throw new DocumentError(stored, error);
      }
    },

    put: (stored, { key, tenantId, value }, now) => ({
      kind: "record",
      record: {
        collection,
        key,
        tenantId,
        principalId: "",
        oauthClientId: "",
        value: JSON.stringify(value),
        revision: (stored?.revision ?? 0) + 1,
        createdAt: stored?.createdAt ?? now,
        expiresAt: undefined,
      },
    }),
  };
}

/** @throws TypeError without any part of the text: the message of JSON.parse would quote it, also in a log. */
function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new TypeError("The value is not JSON.");
  }
}
