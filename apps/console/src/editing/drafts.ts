import { type KeptStore, keptInBrowser } from "./kept-store.js";
import { openText, type SealedText, sealText } from "./sealed-text.js";

const browserDrafts = keptInBrowser<SealedText>("platform-vault-drafts", "drafts");

/**
 * What a person has typed and not saved. It survives a reload, a lost network and a lock: it is kept in this browser, encrypted with a key
 * of the person, until it is saved or discarded, or the person signs out.
 */
export function createDrafts(principalId: string, key: CryptoKey, store: KeptStore<SealedText> = browserDrafts) {
  const nameOf = (itemKey: string) => `${principalId}/${itemKey}`;
  const labelOf = (itemKey: string) => ["platform vault: draft", 1, nameOf(itemKey)] as const;
  return {
    /** Returns the draft of an item. Undefined if there is none, or if it cannot be decrypted. */
    async read(itemKey: string) {
      const sealed = await store.get(nameOf(itemKey)).catch(() => undefined);
      return sealed && openText(key, labelOf(itemKey), sealed);
    },
    async write(itemKey: string, text: string) {
      await store.put(nameOf(itemKey), await sealText(key, labelOf(itemKey), text));
    },
    discard: (itemKey: string) => store.remove(nameOf(itemKey)),
  };
}

/**
 * Returns the key under which this tab keeps a draft of an item: a tab that edits the same item at the same time has another one.
 *
 * @param until settles when the tab does not need the draft any more
 */
export async function takeDraft(itemKey: string, until: Promise<void>): Promise<string> {
  for (let tab = 1; ; tab += 1) {
    const key = tab === 1 ? itemKey : `${itemKey} ${tab}`;
    if (await holdLock(`platform vault: draft of ${key}`, until)) return key;
  }
}

/** Resolves with whether this tab now holds a lock of the browser. */
function holdLock(name: string, until: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const hold = (lock: Lock | null) => {
      resolve(lock !== null);
      return lock === null ? undefined : until;
    };
    // Without locks, tabs share a draft. That is better than to keep none.
    navigator.locks.request(name, { ifAvailable: true }, hold).catch(() => resolve(true));
  });
}
