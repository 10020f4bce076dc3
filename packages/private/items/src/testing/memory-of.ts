import { type MemoryStore, mergeSeen, type SeenItems } from "../vault/memory.js";

/** What a device remembers, also after a restart. @param seen what it has stored before */
export function memoryOf(seen: SeenItems = new Map()): MemoryStore {
  return {
    read: async () => seen,
    async write(added) {
      seen = mergeSeen(seen, added);
    },
  };
}
