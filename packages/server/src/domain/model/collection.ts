import type { Write } from "./decision.js";
import type { Link, RecordKey, RecordPut, Records, StoredRecord } from "./record.js";
import type { Schema } from "./schema.js";

/** The tenant of what belongs to the installation, such as the last reading of its clocks. No tenant of a caller has this id. */
export const installation = "-";

/**
 * What a kind of record says about itself. The value contains the tenant and the key.
 *
 * A storage follows the links of a record when it reads it; an operation on records also links it to its owner.
 */
export interface CollectionOptions<Value> {
  /** Checked whenever one is read. */
  readonly schema: Schema<Value>;
  /** Returns where the record of a value is. */
  readonly keyOf: (value: Value) => Omit<RecordKey, "collection">;
  /** Returns who owns it. Default: nobody. */
  readonly ownerOf?: (value: Value) => Partial<Pick<StoredRecord, "principalId" | "oauthClientId">>;
  /** Returns when it expires, in milliseconds since the epoch. Default: never. */
  readonly expiresAt?: (value: Value) => number | undefined;
  /** Returns the records that a rule reads with it: a storage on another machine loads them with it. Default: none. */
  readonly links?: (value: Value) => readonly Link[];
  /** Whether a record never changes once it is stored. Default: false. */
  readonly immutable?: boolean;
}

/** A record that was read outside of a rule: a write of it fails if it has changed since. */
export interface FoundRecord<Value> {
  readonly value: Value;
  replace(value: Value): RecordPut;
  /** Returns the write that removes it: it has expired, also when the clock is set back, and its value is gone. */
  remove(): RecordPut;
}

/** The records of one kind. */
export interface Collection<Value> {
  readonly name: string;
  key(tenantId: string, key: string): RecordKey;
  /** Returns the value of a stored record. Undefined if there is none, or if it ended when a backup was restored. @throws RecordError */
  read(stored: StoredRecord | undefined): Value | undefined;
  /** Returns a stored record with its writes, for a caller outside of a rule. Undefined as in `read`. @throws RecordError */
  open(stored: StoredRecord | undefined): FoundRecord<Value> | undefined;
  /** Finds a record, and returns its value. Undefined as in `read`. @throws RecordError */
  find(records: Records, tenantId: string, key: string): Value | undefined;
  /** Returns the write that creates a record, or replaces the stored one. @throws TypeError if that one is immutable, and differs */
  put(records: Records, value: Value, now: number): RecordWrite;
  /** Returns the write that creates a record with a key that was never used before, such as a new id. */
  create(value: Value, now: number): RecordWrite;
}

type RecordWrite = Extract<Write, { readonly kind: "record" }>;

/** Thrown when a stored record does not have the shape that its collection says. */
export class RecordError extends Error {
  override readonly name = "RecordError";

  constructor({ collection, key }: Pick<StoredRecord, "collection" | "key">, cause: unknown) {
    super(
      `The stored record ${key} of the collection ${collection} is damaged, or another version of the program wrote it. ` +
        "Start that version, or restore a backup.",
      { cause },
    );
  }
}

/** Defines a kind of record. Each one is checked when it is read. */
export function defineCollection<Value>(name: string, options: CollectionOptions<Value>): Collection<Value> {
  const { schema, keyOf, ownerOf, expiresAt, links, immutable = false } = options;

  const key: Collection<Value>["key"] = (tenantId, id) => ({ tenantId, collection: name, key: id });

  const read: Collection<Value>["read"] = (stored) => {
    if (stored === undefined) return undefined;
    let value: Value;
    try {
      value = schema(parsed(stored.value));
    } catch (error) {
      throw new RecordError(stored, error);
    }
    return isEnded(stored, expiresAt?.(value)) ? undefined : value;
  };

  const writeOver = (stored: StoredRecord | undefined, value: Value, now: number): RecordWrite => {
    const written = JSON.stringify(value);
    if (immutable && stored !== undefined && stored.value !== written) {
      throw new TypeError(
        `The record ${stored.key} of the collection ${name} must not change once it is stored, and another value was written.`,
      );
    }
    return {
      kind: "record",
      record: {
        ...keyOf(value),
        collection: name,
        principalId: "",
        oauthClientId: "",
        ...ownerOf?.(value),
        value: written,
        revision: (stored?.revision ?? 0) + 1,
        createdAt: stored?.createdAt ?? now,
        expiresAt: expiresAt?.(value),
      },
      links: links?.(value) ?? [],
    };
  };

  const open: Collection<Value>["open"] = (stored) => {
    const value = read(stored);
    if (stored === undefined || value === undefined) return undefined;
    const { revision: expectedRevision } = stored;
    return {
      value,
      replace: (next) => {
        const { record, links } = writeOver(stored, next, stored.createdAt);
        return { record, links, expectedRevision };
      },
      remove: () => ({ record: { ...stored, value: "{}", expiresAt: 0 }, expectedRevision }),
    };
  };

  return {
    name,
    key,
    read,
    open,
    find: (records, tenantId, id) => read(records.find(key(tenantId, id))),
    put: (records, value, now) => writeOver(records.find({ collection: name, ...keyOf(value) }), value, now),
    create: (value, now) => writeOver(undefined, value, now),
  };
}

/** Returns whether a record ended before its time: when a backup was restored, after which it may have been changed or removed. */
function isEnded({ expiresAt }: StoredRecord, expected: number | undefined): boolean {
  return expiresAt !== undefined && (expected === undefined || expiresAt < expected);
}

/** @throws TypeError without any part of the text: the message of JSON.parse would quote it, also in a log. */
function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new TypeError("The value is not JSON.");
  }
}
