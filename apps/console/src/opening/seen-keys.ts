import { createBrowserStore } from "@platform-rpc/accounts/browser/browser-store";

const store = createBrowserStore("platform-vault-keys", "seen-keys");

/**
 * Returns whether a vault has a key, or has had one in this browser. A server that hides the key again, so that items need no signature,
 * is noticed.
 */
export async function hasHadKey(name: string, keyId: string | undefined): Promise<boolean> {
  if (keyId !== undefined) {
    // Without storage, the browser believes what the server says now.
    await store.use("readwrite", (keys) => keys.put(keyId, name)).catch(() => undefined);
    return true;
  }
  return (await store.use("readonly", (keys) => keys.count(name)).catch(() => 0)) > 0;
}
