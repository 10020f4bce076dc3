import type { Storage } from "../../ports/storage.js";
import { createKeyValueStorage } from "../key-value/create-key-value-storage.js";
import { createMemoryStore } from "./create-memory-store.js";

/** Creates a storage in the memory of one process, without Node's modules. All data is lost when the process ends. */
export function createMemoryStorage(): Storage {
  return createKeyValueStorage(createMemoryStore());
}
