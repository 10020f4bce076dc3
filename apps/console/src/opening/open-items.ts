import type { SealedItem } from "@platform-rpc/items/vault/open-item";
import { type Content, openContent, type VaultReader } from "./open-content.js";

/** Everything in it can be sent to a worker: keys are handles, which cannot be exported. */
export interface ItemsToOpen {
  readonly reader: VaultReader;
  readonly items: readonly SealedItem[];
}

/** Returns the contents in the order of the items. It never rejects. */
export function openItems({ reader, items }: ItemsToOpen): Promise<readonly Content[]> {
  return Promise.all(items.map((item) => openContent(item, reader)));
}
