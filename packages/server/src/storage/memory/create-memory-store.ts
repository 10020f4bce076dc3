import type { KeyValueStore } from "../../ports/key-value-store.js";

/**
 * Creates a key-value store in memory, without Node's modules: a few lines that keep every promise of the port except durability.
 *
 * @param values the data. Stores that share it are like processes that share a database.
 */
export function createMemoryStore(values: Map<string, string> = new Map()): KeyValueStore {
  return {
    get: async (keys) => keys.map((key) => values.get(key)),

    async list({ from, to, limit, reverse = false }) {
      const keys = [...values.keys()].filter((key) => key >= from && key < to).sort();
      if (reverse) keys.reverse();
      return keys.slice(0, limit).map((key) => ({ key, value: values.get(key) ?? "" }));
    },

    async commit({ expected, changes }) {
      for (const [key, value] of expected) if (values.get(key) !== value) return false;
      for (const [key, value] of changes) {
        if (value === undefined) values.delete(key);
        else values.set(key, value);
      }
      return true;
    },

    async close() {},
  };
}
