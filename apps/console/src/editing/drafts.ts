import { createBrowserStore } from "@platform-rpc/accounts/browser/browser-store";

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
  get(name: string): Promise<SealedDraft | undefined>;
  put(name: string, sealed: SealedDraft): Promise<void>;
  remove(name: string): Promise<void>;
}

export interface SealedDraft {
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly ciphertext: ArrayBuffer;
}

export function createDrafts(principalId: string, key: CryptoKey, store: DraftStore = browserDrafts): Drafts {
  const nameOf = (itemKey: string) => `${principalId}/${itemKey}`;
  const algorithm = (itemKey: string, iv: Uint8Array<ArrayBuffer>) => {
    const additionalData = new TextEncoder().encode(JSON.stringify(["platform vault: draft", 1, nameOf(itemKey)]));
    return { name: "AES-GCM", iv, additionalData };
  };
  return {
    async read(itemKey) {
      const sealed = await store.get(nameOf(itemKey)).catch(() => undefined);
      if (sealed === undefined) return undefined;
      const opening = crypto.subtle.decrypt(algorithm(itemKey, sealed.iv), key, sealed.ciphertext);
      const opened = await opening.catch(() => undefined);
      return opened && new TextDecoder().decode(opened);
    },
    async write(itemKey, text) {
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const plaintext = new TextEncoder().encode(text);
      const ciphertext = await crypto.subtle.encrypt(algorithm(itemKey, iv), key, plaintext);
      await store.put(nameOf(itemKey), { iv, ciphertext });
    },
    discard: (itemKey) => store.remove(nameOf(itemKey)),
  };
}

const stored = createBrowserStore("platform-vault-drafts", "drafts");

const browserDrafts: DraftStore = {
  get: (name) => stored.use<SealedDraft | undefined>("readonly", (drafts) => drafts.get(name)),
  put: async (name, sealed) => void (await stored.use("readwrite", (drafts) => drafts.put(sealed, name))),
  remove: async (name) => void (await stored.use("readwrite", (drafts) => drafts.delete(name))),
};
