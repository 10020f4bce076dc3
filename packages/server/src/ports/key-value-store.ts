/** A key with its value. */
export interface KeyValue {
  readonly key: string;
  readonly value: string;
}

/** Selects keys. */
export interface KeyRange {
  /** The first key. It need not exist. */
  readonly from: string;
  /** The key before which the range ends. It need not exist. */
  readonly to: string;
  /** The largest number of keys, 1 or more. */
  readonly limit: number;
  /** True: from the last key to the first. Default: from the first to the last. */
  readonly reverse?: boolean | undefined;
}

/** A conditional change of some keys. */
export interface KeyValueCommit {
  /** The values on which the change depends. Undefined: there must be no such key. */
  readonly expected: ReadonlyMap<string, string | undefined>;
  /** The new values. Undefined: the key is deleted, if there is one. */
  readonly changes: ReadonlyMap<string, string | undefined>;
}

/**
 * An ordered key-value store with compare-and-set, for `createKeyValueStorage`. It needs no schema and no knowledge of this package: a
 * table with two columns is enough.
 *
 * Keys are printable ASCII (U+0020 to U+007E), ordered by their bytes. Most have less than 500 bytes; the key of a record contains the
 * key that your application chose. Values are Unicode text, usually JSON, without the characters below U+0020. They must be returned
 * exactly as they were written.
 *
 * Several processes may have a store on the same data, if the four promises apply to them together. A method that rejects makes the calls
 * that need it fail with a `StorageError`: its own one, such as one with the reason `full`, or else `unavailable`.
 *
 * @example
 * ```ts
 * import { createKeyValueStorage, type KeyValueStore } from "@platform-rpc/server";
 *
 * const empty: KeyValueStore = {
 *   get: async (keys) => keys.map(() => undefined),
 *   list: async () => [],
 *   commit: async () => true,
 *   close: async () => {},
 * };
 * await createKeyValueStorage(empty).close();
 * ```
 */
export interface KeyValueStore {
  /**
   * Reads the values of keys, in the order of the keys; undefined where there is no such key. All values are from one consistent view:
   * it contains every commit that was resolved before the call, whichever process made it, and no part of a commit.
   *
   * @param keys each once; one or more
   */
  get(keys: readonly string[]): Promise<readonly (string | undefined)[]>;

  /** Lists the first keys of a range in their order, with their values. Sees as much as `get`. */
  list(range: KeyRange): Promise<readonly KeyValue[]>;

  /**
   * Compares and writes in one atomic step: if every key of `expected` has the expected value, all changes are written, and otherwise none.
   * Resolves with whether they were written. `true`: they are durable, so they survive `kill -9` and a power cut. `false`: nothing was
   * written, because a value differs, or because the database preferred another transaction, such as after a deadlock.
   *
   * A value that is replaced or deleted is erased: once the promise has resolved, no file contains its bytes. Items are shredded as
   * completely as the store erases values.
   *
   * Must reject if it is unknown whether the changes were written. Never repeat a commit of which this is unknown: the repetition could
   * find the changes of the first attempt, and return false although they were written.
   */
  commit(commit: KeyValueCommit): Promise<boolean>;

  /** Releases all resources. Is called once, and no other method after it. */
  close(): Promise<void>;
}
