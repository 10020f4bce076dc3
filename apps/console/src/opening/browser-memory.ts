import { createBrowserStore } from "@platform-rpc/accounts/browser/browser-store";
import { type MemoryStore, mergeSeen, type SeenItem, type SeenItems } from "@platform-rpc/items/vault/memory";

/** Of each item what the browser has seen. Earlier releases kept only the version. */
type StoredItems = ReadonlyMap<string, SeenItem | number>;

const store = createBrowserStore("platform-vault", "seen-versions");

/** Keeps what this browser has seen of a vault, until the person signs out. Without storage, it is remembered until the page is left. */
export function browserMemory(vault: string): MemoryStore {
  return {
    read: async () => seenIn(await store.use("readonly", (vaults) => vaults.get(vault)).catch(() => undefined)),
    async write(seen) {
      await store.use("readwrite", (vaults) => {
        const reading: IDBRequest<StoredItems | undefined> = vaults.get(vault);
        // Another tab may have stored something meanwhile.
        reading.addEventListener("success", () => vaults.put(mergeSeen(seenIn(reading.result), seen), vault));
        return reading;
      });
    },
  };
}

function seenIn(stored: StoredItems = new Map()): SeenItems {
  const items = [...stored].map(([itemId, seen]) => [itemId, fromNumber(seen)] as const);
  return new Map(items);
}

function fromNumber(seen: SeenItem | number): SeenItem {
  return typeof seen === "number" ? { version: seen, hash: "", deleted: 0 } : seen;
}
