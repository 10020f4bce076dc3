import type { KeyValueCommit, KeyValueStore } from "../../ports/key-value-store.js";
import { StorageError } from "../../ports/storage.js";

/** Keys with their values. Undefined: there is no such key. */
export type Values = KeyValueCommit["expected"];

/** Reads the values of keys, from one view. */
export async function readValues(store: Pick<KeyValueStore, "get">, keys: readonly string[]): Promise<Values> {
  const wanted = [...new Set(keys)];
  const values = wanted.length === 0 ? [] : await store.get(wanted);
  return new Map(wanted.map((key, index) => [key, values[index]]));
}

/** Reads a value that must exist. @throws StorageError "damaged" */
export function parse<Value>(text = ""): Value {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StorageError("damaged", { cause });
  }
}
