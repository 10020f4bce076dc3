import { part, requireOptions } from "@platform-rpc/options";
import type { KeyValueStore } from "../../ports/key-value-store.js";
import { type Storage, StorageError } from "../../ports/storage.js";
import type { Tracing } from "../../ports/tracing.js";
import { createEngine } from "../engine/run-batch.js";
import { createStorageRecorder, type StorageFigures } from "../figures.js";
import { count, tracing as tracingRule } from "../option-rules.js";
import { createKeyValueAuditTrail } from "./audit-trail.js";
import { createKeyValueDriver } from "./driver.js";
import { keys } from "./keys.js";
import { createKeyValueQueries } from "./queries.js";

/** Options of a storage on a key-value store. */
export interface KeyValueStorageOptions {
  /** The largest number of calls that are committed together. Each writes about ten keys. Default: 256. */
  readonly batchLimit?: number | undefined;
  /** Traces the batches. Default: they are not traced. */
  readonly tracing?: Pick<Tracing, "beginBatch" | "current"> | undefined;
}

const storeRule = part("be an object with get, list, commit, close", "get", "list", "commit", "close");
/** A storage on a key-value store. */
export interface KeyValueStorage extends Storage {
  /** Returns counts since the storage was created, for metrics. */
  figures(): StorageFigures;
}

/**
 * Creates a storage on a key-value store: everything that `Storage` promises, if the store keeps the promises of `KeyValueStore`.
 *
 * Calls are decided in batches: one `get` loads what a batch needs, and one `commit` compares and writes. While a commit is in flight,
 * further calls wait for the next batch. `close` closes the store.
 *
 * @example
 * ```ts
 * import { createKeyValueStorage, type KeyValueStore } from "@platform-rpc/server";
 *
 * const values = new Map<string, string>();
 * const store: KeyValueStore = {
 *   get: async (keys) => keys.map((key) => values.get(key)),
 *   async list({ from, to, limit, reverse }) {
 *     const keys = [...values.keys()].filter((key) => key >= from && key < to).sort();
 *     if (reverse) keys.reverse();
 *     return keys.slice(0, limit).map((key) => ({ key, value: values.get(key) ?? "" }));
 *   },
 *   async commit({ expected, changes }) {
 *     for (const [key, value] of expected) if (values.get(key) !== value) return false;
 *     for (const [key, value] of changes) value === undefined ? values.delete(key) : values.set(key, value);
 *     return true;
 *   },
 *   async close() {},
 * };
 * const storage = createKeyValueStorage(store);
 * console.log(await storage.listVaults({ tenantId: "acme", principalId: "ada", limit: 10 }));
 * // []
 * await storage.close();
 * ```
 *
 * @param store a store with the data of this storage only
 * @throws TypeError that names each invalid option and what is expected.
 */
export function createKeyValueStorage(store: KeyValueStore, options: KeyValueStorageOptions = {}): KeyValueStorage {
  requireOptions("createKeyValueStorage", { store }, { store: storeRule });
  requireOptions("createKeyValueStorage", options, {
    batchLimit: count,
    tracing: tracingRule,
  });
  const { batchLimit = 256, tracing } = options;
  const recorder = createStorageRecorder();
  let closing: Promise<void> | undefined;

  const requireOpen = () => {
    if (closing !== undefined) throw new StorageError("unavailable");
  };
  /** Returns the store, with its errors as those of a storage. */
  const guarded = (enter: () => void = () => {}): KeyValueStore => {
    const call = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      enter();
      try {
        return await work();
      } catch (error) {
        throw error instanceof StorageError ? error : new StorageError("unavailable", { cause: error });
      }
    };
    return {
      get: (wanted) => call(() => store.get(wanted)),
      list: (range) => call(() => store.list(range)),
      commit: (commit) => call(() => store.commit(commit)),
      close: () => call(() => store.close()),
    };
  };
  const always = guarded();
  const whileOpen = guarded(requireOpen);

  const { transact, drained } = createEngine({
    ...{ driver: createKeyValueDriver(always), batchLimit, recorder, tracing },
    // Two batches would both need the next position of the audit trail.
    inFlightLimit: 1,
    isClosed: () => closing !== undefined,
  });
  const close = async (): Promise<void> => {
    await drained();
    await always.close();
  };

  return {
    transact,
    ...createKeyValueQueries(whileOpen),
    ...createKeyValueAuditTrail(whileOpen),
    figures: recorder.read,

    async check() {
      await whileOpen.get([keys.check]);
      await whileOpen.commit({ expected: new Map(), changes: new Map([[keys.check, ""]]) });
    },

    // A key-value store verifies its own data.
    async verify() {
      requireOpen();
    },

    close() {
      closing ??= close();
      return closing;
    },
  };
}
