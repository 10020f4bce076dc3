import { isDeepStrictEqual } from "node:util";
import type { KeyFile, KeyStore } from "./key-file.js";

/**
 * Creates a store that keeps the key file in memory, for tests and for servers whose tokens may expire with a restart.
 *
 * @example
 * ```ts
 * import { createMemoryKeyStore } from "@platform-rpc/server";
 *
 * const store = createMemoryKeyStore();
 * console.log(await store.load());
 * // undefined
 * ```
 */
export function createMemoryKeyStore(file?: KeyFile): KeyStore {
  let kept = file;
  return {
    load: async () => kept,
    save: async (next, replaced) => {
      if (!isDeepStrictEqual(kept, replaced)) return false;
      kept = next;
      return true;
    },
  };
}
