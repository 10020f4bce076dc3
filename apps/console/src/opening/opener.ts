import type { SealedItem } from "@platform-rpc/items/vault/open-item";
import type { Item } from "@platform-rpc/types";
import { startWorker, trustedScript } from "../elements/worker-calls.js";
import type { Content, VaultReader } from "./open-content.js";
import type { ItemsToOpen } from "./open-items.js";
import workerUrl from "./opener.worker.ts?worker&url";
import { threads } from "./threads.js";

/** Opens items of a vault. Resolves with their contents, in their order. */
export type OpenItems = (items: readonly Item[]) => Promise<readonly Content[]>;

/** The same for what of an item is needed to open it. */
export type OpenSealed = (items: readonly SealedItem[]) => Promise<readonly Content[]>;

const script = trustedScript("vault-worker", workerUrl);

const startOpener = () =>
  startWorker(script, async (wanted: ItemsToOpen) => (await import("./open-items.js")).openItems(wanted));

/** They start while the first items are read. */
const pool = Array.from({ length: threads }, startOpener);
let turn = 0;

/** Returns a function that opens the items of a vault in workers, or in the page if the browser cannot start them. */
export function openInWorkers(reader: VaultReader): OpenSealed {
  return (items) => {
    turn = (turn + 1) % pool.length;
    const opener = pool[turn];
    if (opener === undefined) throw new TypeError("There is no worker.");
    return opener.call({ reader, items: items.map(sealedOf) });
  };
}

/** Of an item, what a worker needs. */
function sealedOf({ itemId, version, kind, titleHash, encryptedPayload, wrappedKeys }: SealedItem): SealedItem {
  return { itemId, version, kind, titleHash, encryptedPayload, wrappedKeys };
}
