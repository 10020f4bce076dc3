import { createBrowserStore } from "@platform-rpc/accounts/browser/browser-store";

/** Where values are kept by their names: the browser's storage, or a Map in a test. */
export interface KeptStore<Value> {
  get(name: string): Promise<Value | undefined>;
  put(name: string, value: Value): Promise<unknown>;
  remove(name: string): Promise<unknown>;
}

export function keptInBrowser<Value>(databaseName: string, storeName: string): KeptStore<Value> {
  const store = createBrowserStore(databaseName, storeName);
  return {
    get: (name) => store.use<Value | undefined>("readonly", (values) => values.get(name)),
    put: (name, value) => store.use("readwrite", (values) => values.put(value, name)),
    remove: (name) => store.use("readwrite", (values) => values.delete(name)),
  };
}
