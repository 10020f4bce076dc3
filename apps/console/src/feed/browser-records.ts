import { settled } from "@platform-rpc/accounts/browser/browser-store";
import { vaultRecords } from "@platform-rpc/accounts/browser/vault-records";
import type { RecordStore } from "./kept-copies.js";

/** The records of this browser. */
export const browserRecords: RecordStore = {
  transact: (mode, work) =>
    vaultRecords.use(mode, (store) =>
      work({
        get: (key) => settled(store.get(key)),
        put: (key, value) => void store.put(value, key),
        // An array comes after every text and number.
        remove: (key) => void store.delete(IDBKeyRange.bound(key, [...key, []])),
      }),
    ),
};
