import type { SealedItem } from "@platform-rpc/items/vault/open-item";
import { type Content, openContent, type VaultReader } from "./open-content.js";

/** A message to a worker. Everything in it can be sent: keys are handles, which cannot be exported. */
export interface ItemsToOpen {
  readonly id: number;
  readonly reader: VaultReader;
  readonly items: readonly SealedItem[];
}

/** Its answer: the contents in the order of the items. */
export interface OpenedItems {
  readonly id: number;
  readonly contents: readonly Content[];
}

/** Opens the items of a message. It never rejects. */
export async function openItems({ id, reader, items }: ItemsToOpen): Promise<OpenedItems> {
  return { id, contents: await Promise.all(items.map((item) => openContent(item, reader))) };
}
