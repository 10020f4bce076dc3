import { createBrowserStore } from "./browser-store.js";

const store = createBrowserStore("platform-vault-keys", "seen-keys");

interface ListedVault {
  readonly principalId: string;
  readonly vaultId: string;
  readonly key: { readonly keyId: string } | undefined;
}

/**
 * Returns whether a vault has a key, or has had one in this browser. A server that hides the key again, so that items need no signature,
 * is noticed.
 */
export async function hasHadKey({ principalId, vaultId, key }: ListedVault): Promise<boolean> {
  const name = `${principalId}/${vaultId}`;
  if (key !== undefined) {
    // Without storage, the browser believes what the server says now.
    await store.use("readwrite", (keys) => keys.put(key.keyId, name)).catch(() => undefined);
    return true;
  }
  return (await store.use("readonly", (keys) => keys.count(name)).catch(() => 0)) > 0;
}
