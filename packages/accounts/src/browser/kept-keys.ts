import type { UserKeys } from "../keys/user-keys.js";
import { markUsed } from "./lock-time.js";

const databaseName = "platform-accounts";
const storeName = "user-keys";

/**
 * Keeps the keys of the signed-in person in this browser, until they sign out. Scripts can use them, but not export them: they are
 * not extractable.
 */
export async function keepUserKeys(accountId: string, keys: UserKeys): Promise<void> {
  // From now on, a browser that nobody uses locks itself.
  markUsed(localStorage, Date.now());
  await inStore("readwrite", (store) => {
    store.clear();
    return store.put(keys, accountId);
  });
}

/** Returns the keys of an account; undefined if they are locked in this browser. */
export async function keptUserKeys(accountId: string): Promise<UserKeys | undefined> {
  return inStore<UserKeys | undefined>("readonly", (store) => store.get(accountId));
}

/** Returns whether this browser keeps the keys of anybody. */
export async function keepsUserKeys(): Promise<boolean> {
  return (await inStore("readonly", (store) => store.count())) > 0;
}

export async function forgetUserKeys(): Promise<void> {
  await inStore("readwrite", (store) => store.clear());
}

async function inStore<Result>(
  mode: IDBTransactionMode,
  use: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const opening = indexedDB.open(databaseName, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(storeName);
  const database = await settled(opening);
  try {
    const transaction = database.transaction(storeName, mode);
    const used = settled(use(transaction.objectStore(storeName)));
    // The callers that change the keys then leave the page, and a page that is left aborts what is not committed.
    const [result] = await Promise.all([used, committed(transaction)]);
    return result;
  } finally {
    database.close();
  }
}

function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(notStored(transaction.error));
  });
}

function settled<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(notStored(request.error));
  });
}

function notStored(cause: DOMException | null): Error {
  return new Error("The browser cannot store keys. Allow this site to store data.", { cause });
}
