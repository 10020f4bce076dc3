/** Creates a named store of this browser (IndexedDB). Nothing leaves it. */
export function createBrowserStore(databaseName: string, storeName: string) {
  return {
    /**
     * Does something with the store in one transaction. Resolves when it is committed. A promise may wait for requests of the store only: if
     * it rejects, nothing is changed.
     *
     * @throws Error when the browser does not let the site store data
     */
    async use<Result>(
      mode: IDBTransactionMode,
      request: (store: IDBObjectStore) => IDBRequest<Result> | Promise<Result>,
    ): Promise<Result> {
      const opening = indexedDB.open(databaseName, 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore(storeName);
      const database = await settled(opening);
      try {
        const transaction = database.transaction(storeName, mode);
        const requested = request(transaction.objectStore(storeName));
        const used = requested instanceof IDBRequest ? settled(requested) : requested;
        // A request that fails has aborted it already.
        used.catch(() => transaction.abort()).catch(() => undefined);
        // Callers may leave the page then, and a page that is left aborts what is not committed.
        const [result] = await Promise.all([used, committed(transaction)]);
        return result;
      } finally {
        database.close();
      }
    },
  };
}

function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(notStored(transaction.error));
  });
}

export function settled<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(notStored(request.error));
  });
}

function notStored(cause: DOMException | null): Error {
  return new Error("The browser cannot store data of this site. Allow that in its settings.", { cause });
}
