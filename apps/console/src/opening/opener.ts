import type { SealedItem } from "@platform-rpc/items/vault/open-item";
import type { Item } from "@platform-rpc/types";
import type { Content, VaultReader } from "./open-content.js";
import type { ItemsToOpen, OpenedItems } from "./open-items.js";
import workerUrl from "./opener.worker.ts?worker&url";
import { threads } from "./threads.js";

/** Opens items of a vault. Resolves with their contents, in their order. */
export type OpenItems = (items: readonly Item[]) => Promise<readonly Content[]>;

/** The same for what of an item is needed to open it. */
export type OpenSealed = (items: readonly SealedItem[]) => Promise<readonly Content[]>;

declare global {
  /** Not in TypeScript's library. @see https://www.w3.org/TR/trusted-types/ */
  var trustedTypes:
    | {
        createPolicy(
          name: string,
          rules: { createScriptURL(url: string): string },
        ): { createScriptURL(url: string): URL };
      }
    | undefined;
}

/** The security policy of the page requires it for the URL of a worker. It admits no script but this one. */
const policy = globalThis.trustedTypes?.createPolicy("vault-worker", { createScriptURL: () => workerUrl });

/** They start while the first items are read. */
const pool = Array.from({ length: threads }, startOpener);
let turn = 0;

/** Returns a function that opens the items of a vault in workers, or in the page if the browser cannot start them. */
export function openInWorkers(reader: VaultReader): OpenSealed {
  return (items) => {
    turn = (turn + 1) % pool.length;
    const open = pool[turn];
    if (open === undefined) throw new TypeError("There is no worker.");
    return open({ reader, items: items.map(sealedOf) });
  };
}

/** Of an item, what a worker needs. */
function sealedOf({ itemId, version, kind, titleHash, encryptedPayload, wrappedKeys }: SealedItem): SealedItem {
  return { itemId, version, kind, titleHash, encryptedPayload, wrappedKeys };
}

interface Waiting {
  readonly message: ItemsToOpen;
  resolve(contents: readonly Content[]): void;
}

function startOpener(): (wanted: Omit<ItemsToOpen, "id">) => Promise<readonly Content[]> {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let failed = false;
  const inPage = async ({ message, resolve }: Waiting) => {
    const { openItems } = await import("./open-items.js");
    resolve((await openItems(message)).contents);
  };
  const worker = new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: "module" });
  worker.onmessage = ({ data: { id, contents } }: MessageEvent<OpenedItems>) => {
    waiting.get(id)?.resolve(contents);
    waiting.delete(id);
  };
  // Its script could not be loaded: the server may have another version of it now.
  worker.onerror = () => {
    failed = true;
    for (const one of waiting.values()) void inPage(one);
    waiting.clear();
  };
  return (wanted) => {
    last += 1;
    const message = { ...wanted, id: last };
    return new Promise((resolve) => {
      if (failed) {
        void inPage({ message, resolve });
        return;
      }
      waiting.set(message.id, { message, resolve });
      worker.postMessage(message);
    });
  };
}
