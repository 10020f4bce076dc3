import { createBrowserStore } from "@platform-rpc/accounts/browser/browser-store";
import { openText, type SealedText, sealText } from "./sealed-text.js";

/**
 * What a person has typed and not saved. It survives a reload, a lost network and a lock: it is kept in this browser, encrypted with a key
 * of the person, until it is saved or discarded, or the person signs out.
 */
export interface Drafts {
  /** Returns the draft of an item. Undefined if there is none, or if it cannot be decrypted. */
  read(itemKey: string): Promise<string | undefined>;
  write(itemKey: string, text: string): Promise<void>;
  discard(itemKey: string): Promise<void>;
}

/** Where drafts are kept: the browser's storage, or a Map in a test. */
export interface DraftStore {
  get(name: string): Promise<SealedText | undefined>;
  put(name: string, sealed: SealedText): Promise<void>;
  remove(name: string): Promise<void>;
}

export function createDrafts(principalId: string, key: CryptoKey, store: DraftStore = browserDrafts): Drafts {
  const nameOf = (itemKey: string) => `${principalId}/${itemKey}`;
  const labelOf = (itemKey: string) => ["platform vault: draft", 1, nameOf(itemKey)] as const;
  return {
    async read(itemKey) {
      const sealed = await store.get(nameOf(itemKey)).catch(() => undefined);
      return sealed && openText(key, labelOf(itemKey), sealed);
    },
    async write(itemKey, text) {
      await store.put(nameOf(itemKey), await sealText(key, labelOf(itemKey), text));
    },
    discard: (itemKey) => store.remove(nameOf(itemKey)),
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

const stored = createBrowserStore("platform-vault-drafts", "drafts");

const browserDrafts: DraftStore = {
  get: (name) => stored.use<SealedText | undefined>("readonly", (drafts) => drafts.get(name)),
  put: async (name, sealed) => void (await stored.use("readwrite", (drafts) => drafts.put(sealed, name))),
  remove: async (name) => void (await stored.use("readwrite", (drafts) => drafts.delete(name))),
};
