import type { UserKeys } from "../keys/user-keys.js";
import { createBrowserStore } from "./browser-store.js";
import { markUsed } from "./lock-time.js";

const kept = createBrowserStore("platform-accounts", "user-keys");

/**
 * Keeps the keys of the signed-in person in this browser, until they sign out. Scripts can use them, but not export them: they are
 * not extractable.
 */
export async function keepUserKeys(accountId: string, keys: UserKeys): Promise<void> {
  // From now on, a browser that nobody uses locks itself.
  markUsed(localStorage, Date.now());
  await kept.use("readwrite", (store) => {
    store.clear();
    return store.put(keys, accountId);
  });
}

/** Returns the keys of an account; undefined if they are locked in this browser. */
export async function keptUserKeys(accountId: string): Promise<UserKeys | undefined> {
  return kept.use<UserKeys | undefined>("readonly", (store) => store.get(accountId));
}

/** Returns whether this browser keeps the keys of anybody. */
export async function keepsUserKeys(): Promise<boolean> {
  return (await kept.use("readonly", (store) => store.count())) > 0;
}

export async function forgetUserKeys(): Promise<void> {
  await kept.use("readwrite", (store) => store.clear());
}
