import { createBrowserStore } from "@platform-rpc/accounts/browser/browser-store";
import { keepsUserKeys } from "@platform-rpc/accounts/browser/kept-keys";
import { type MemoryStore, mergeSeen, type SeenItem, type SeenItems, unseen } from "@platform-rpc/items/vault/memory";

const store = createBrowserStore("platform-vault", "seen-versions");

/** Keeps what this browser has seen of a vault, until the person signs out. Without storage, it is remembered until the page is left. */
export function browserMemory(vault: string): MemoryStore {
  return {
    read: async () => seenIn(await store.use("readonly", (vaults) => vaults.get(vault)).catch(() => undefined)),
    async write(seen) {
      // A page that is being left must not fill a browser that was emptied: the person has signed out.
      if (!(await keepsUserKeys())) return;
      await store.use("readwrite", (vaults) => {
        const reading = vaults.get(vault);
        // Another tab may have stored something meanwhile.
        reading.addEventListener("success", () => vaults.put(mergeSeen(seenIn(reading.result), seen), vault));
        return reading;
      });
    },
  };
}

/** Earlier releases kept the version only. */
function seenIn(stored: ReadonlyMap<string, SeenItem | number> = new Map()): SeenItems {
  const whole = (seen: SeenItem | number) => (typeof seen === "number" ? { ...unseen, version: seen } : seen);
  return new Map([...stored].map(([itemId, seen]) => [itemId, whole(seen)]));
}
