import { printable } from "@platform-rpc/client";
import { fieldsOfKind } from "@platform-rpc/items/kind-fields";
import { MemoryError, summaryOf } from "@platform-rpc/signed-in";
import type { Item } from "@platform-rpc/types";
import { fieldValue, type OpenedItem, storeHead } from "../items/open-items.js";
import { asJson, printLine, type Terminal } from "../terminal/terminal.js";
import type { Access } from "../vaults/find-vault.js";

export interface VaultOptions {
  readonly vault?: string;
  readonly json?: boolean;
  /** See `findContent`. */
  readonly older?: boolean | undefined;
}

interface ChangedItem {
  readonly item: Item;
  readonly vaultId: string;
  readonly json: boolean;
  readonly sentence: string;
}

/** Ends a command that has changed an item. That has succeeded: an error of this computer must not look like its own. */
export async function endChange(
  terminal: Terminal,
  access: Access,
  { item, vaultId, json, sentence }: ChangedItem,
): Promise<void> {
  if (access.unlocked?.has(vaultId)) {
    await access.unlocked.remember(item, vaultId).catch((error: unknown) => {
      if (!(error instanceof MemoryError)) throw error;
      access.notify(`The server has done it, but this computer cannot remember it: ${error.message}`);
    });
  }
  printLine(terminal, json ? asJson("items edit", summaryOf(item)) : sentence);
  await storeHead(access, vaultId).catch(() => undefined);
}

export function quoted(title: string): string {
  return title === "" ? "(no title)" : printable(`"${title}"`);
}

export const notVerified = "Not verified: neither you nor a program that you have certified has signed this item.";

/** Returns what `--json` prints of an item, without its fields. */
export function describe({ item, content, isVerified, finding, deletedBy, vaultFinding }: OpenedItem) {
  const summary = { ...summaryOf(item), deletedBy, vaultFinding };
  if (content === undefined) return summary;
  const { title, tags, favourite } = content;
  const names = fieldsOfKind(item.kind).filter(({ name }) => name === "username" || name === "website");
  const shown = names.map(({ name }) => [name, fieldValue(content, name)] as const);
  return { ...summary, title, tags, favourite, ...Object.fromEntries(shown), isVerified, finding };
}
