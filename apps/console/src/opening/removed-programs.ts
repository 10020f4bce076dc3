import { createBrowserStore } from "@platform-rpc/accounts/browser/browser-store";

const store = createBrowserStore("platform-removed-programs", "signing-keys");

/**
 * Remembers the signing keys that the person has removed, until they sign out, and returns all that this browser knows. A server that lists
 * the certificate of one again is noticed.
 */
export async function rememberRemoved(signingKeys: readonly string[]): Promise<ReadonlySet<string>> {
  try {
    for (const key of signingKeys) await store.use("readwrite", (keys) => keys.put(true, key));
    const all = await store.use("readonly", (keys) => keys.getAllKeys());
    return new Set([...signingKeys, ...all.map(String)]);
  } catch {
    // Without storage, the browser believes what the server says now.
    return new Set(signingKeys);
  }
}
