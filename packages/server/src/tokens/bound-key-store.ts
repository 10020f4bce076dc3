import { isText, must, ofType, part, requireOptions } from "@platform-rpc/options";
import { bindKeys, boundKeys } from "../domain/bound-keys.js";
import { installation } from "../domain/model/collection.js";
import { refOf, type Storage } from "../ports/storage.js";
import { deriveKeys } from "./derived-keys.js";
import type { KeyFile, KeyStore } from "./key-file.js";

/** The keys and the storage that they belong to. */
export interface BoundKeyStoreOptions {
  readonly store: KeyStore;
  /** Stores the id of the keys. */
  readonly storage: Pick<Storage, "transact">;
  /** The path of the key file, for error messages. */
  readonly place: string;
  /** The id of lost keys that new ones may replace. Default: none may be replaced. */
  readonly replace?: string | undefined;
}

/**
 * Thrown when the keys are missing, or differ from those the storage was last used with.
 *
 * @example
 * ```ts
 * import { KeysMismatchError } from "@platform-rpc/server";
 *
 * const { message } = new KeysMismatchError("keys.json", "k-1", undefined);
 * console.log(message);
 * // The key file keys.json is missing. The database was last used with the keys k-1.
 * ```
 */
export class KeysMismatchError extends Error {
  override readonly name = "KeysMismatchError";

  constructor(
    readonly place: string,
    /** The id of the keys that the storage was last used with. */
    readonly expected: string,
    /** The id of the found keys. Undefined when there are none. */
    readonly found: string | undefined,
  ) {
    const problem = found === undefined ? "is missing" : `contains other keys (id ${found})`;
    super(`The key file ${place} ${problem}. The database was last used with the keys ${expected}.`);
  }
}

/**
 * Creates a key store that binds its keys to a storage. If the keys are lost or swapped, the start fails instead of creating
 * new ones: with other keys, every issued token, user code and idempotency key becomes invalid.
 *
 * `load` fails when the storage was used with other keys. After it has succeeded once, a store that loses its keys is not an
 * error: the key ring saves them again.
 *
 * @example
 * ```ts
 * import { createBoundKeyStore, createMemoryKeyStore, createPlatform } from "@platform-rpc/server";
 *
 * const names = { issuer: "https://id.example", audience: "https://api.example", brokerAudience: "https://b.example" };
 * const start = () => {
 *   const store = createMemoryKeyStore();
 *   return createPlatform({ storage, keys: createBoundKeyStore({ store, storage, place: "memory" }), ...names });
 * };
 * await start();
 * console.log(await start().catch(({ name }) => name));
 * // KeysMismatchError
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected.
 */
export function createBoundKeyStore(options: BoundKeyStoreOptions): KeyStore {
  requireOptions("createBoundKeyStore", options, {
    store: part("be a key store, such as that of createFileKeyStore", "load", "save"),
    storage: part("be a storage, such as that of createSqliteStorage", "transact"),
    place: must("be the path of the key file", isText),
    replace: ofType("string"),
  });
  const { store, storage, place, replace } = options;
  let bound = false;

  /** Returns the error if the keys do not belong to the storage. */
  async function bind(file: KeyFile | undefined): Promise<KeysMismatchError | undefined> {
    const keysId = file && deriveKeys(file).keysId;
    const { outcome } = await storage.transact(
      refOf(boundKeys.key(installation, installation)),
      bindKeys({ keysId, replace }, Date.now()),
    );
    if (!outcome.ok) return new KeysMismatchError(place, outcome.expected, keysId);
    bound ||= keysId !== undefined;
    return undefined;
  }

  async function loadAndBind(): Promise<{ readonly file: KeyFile | undefined; readonly error?: KeysMismatchError }> {
    const file = await store.load();
    const error = file !== undefined || !bound ? await bind(file) : undefined;
    return error === undefined ? { file } : { file, error };
  }

  return {
    async load() {
      let loaded = await loadAndBind();
      // Another process may have saved and bound the first keys since the load.
      if (loaded.error !== undefined && loaded.file === undefined) loaded = await loadAndBind();
      if (loaded.error !== undefined) throw loaded.error;
      return loaded.file;
    },
    async save(file, replaced) {
      if (!(await store.save(file, replaced))) return false;
      const error = await bind(file);
      if (error !== undefined) throw error;
      return true;
    },
  };
}
