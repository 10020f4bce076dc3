import { createBrowserStore } from "@platform-rpc/accounts/browser/browser-store";

const store = createBrowserStore("platform-vault-names", "seen-revisions");

/** Remembers the revision of the name of a vault, until the person signs out. */
export async function rememberName(vault: string, revision: number): Promise<void> {
  // Without storage, the browser believes what the server says.
  await store.use("readwrite", (revisions) => revisions.put(revision, vault)).catch(() => undefined);
}

/** Returns whether this browser has seen a newer name of a vault, and remembers the newest. */
export async function hasSeenNewerName(vault: string, revision: number): Promise<boolean> {
  const reading = store.use<number | undefined>("readonly", (revisions) => revisions.get(vault));
  const seen = (await reading.catch(() => undefined)) ?? 0;
  if (revision > seen) await rememberName(vault, revision);
  return revision < seen;
}
