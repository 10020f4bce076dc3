import { settled } from "@platform-rpc/accounts/browser/browser-store";
import { vaultRecords } from "@platform-rpc/accounts/browser/vault-records";
import { idle } from "../elements/idle.js";
import type { ConsoleSession } from "../session/session.js";
import { createKeptCopies, type KeptCopies, type RecordStore } from "./kept-copies.js";

const store: RecordStore = {
  transact: (mode, work) =>
    vaultRecords.use(mode, (records) =>
      work({
        get: (key) => settled(records.get(key)),
        put: (key, value) => void records.put(value, key),
        // An array comes after every text and number.
        remove: (key) => void records.delete(IDBKeyRange.bound(key, [...key, []])),
      }),
    ),
};

export function openBrowserCopies(session: ConsoleSession): KeptCopies {
  return createKeptCopies(session, store, idle);
}
