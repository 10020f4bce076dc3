import type { KeyFile, KeyStore } from "./key-file.js";

/**
 * Keeps a key file for as long as the process lives: for tests, and where no token need outlive a restart.
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
    save: async (next) => {
      kept = next;
    },
  };
}
