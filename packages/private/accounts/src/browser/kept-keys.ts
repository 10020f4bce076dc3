import type { UnlockedKeys } from "../keys/user-keys.js";
import { createBrowserStore } from "./browser-store.js";
import { isUnused, markUsed } from "./lock-time.js";

const kept = createBrowserStore("platform-accounts", "user-keys");

/** Keeps the keys until the person signs out. Scripts can use them, but not export them: they are not extractable. */
export async function keepUserKeys(accountId: string, keys: UnlockedKeys): Promise<void> {
  // From now on, a browser that nobody uses locks itself.
  markUsed(localStorage, Date.now());
  await kept.use("readwrite", (store) => {
    store.clear();
    return store.put(keys, accountId);
  });
}

/** Returns the keys of an account; undefined if they are locked in this browser. */
export async function keptUserKeys(accountId: string): Promise<UnlockedKeys | undefined> {
  return kept.use<UnlockedKeys | undefined>("readonly", (store) => store.get(accountId));
}

export async function keepsUserKeys(): Promise<boolean> {
  return (await kept.use("readonly", (store) => store.count())) > 0;
}

/** Returns whether this browser keeps keys that may be used: somebody has used a page of it lately. */
export async function isUnlocked(): Promise<boolean> {
  return !isUnused(localStorage, Date.now()) && (await keepsUserKeys());
}

export async function forgetUserKeys(): Promise<void> {
  await kept.use("readwrite", (store) => store.clear());
}
