/** The keys of the signed-in person, as the sign-in page keeps them: they can be used, but not exported. */
export interface KeptKeys {
  /** Unwraps the keys of items: RSA-OAEP-256. */
  readonly decryptionKey: CryptoKey;
}

/** Reads the keys that the sign-in page has stored; undefined if it has stored none. */
export async function keptKeys(accountId: string): Promise<KeptKeys | undefined> {
  const opening = indexedDB.open("platform-accounts", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("user-keys");
  const database = await settled(opening);
  try {
    return await settled<KeptKeys | undefined>(
      database.transaction("user-keys").objectStore("user-keys").get(accountId),
    );
  } finally {
    database.close();
  }
}

function settled<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () =>
      reject(new Error("The browser cannot read your keys. Allow this site to store data.", { cause: request.error }));
  });
}
