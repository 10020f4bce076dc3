import type { ContentField, ItemContent } from "@platform-rpc/items/item-content";
import { usesOf } from "@platform-rpc/items/item-use";
import { findingInShort } from "@platform-rpc/items/vault/memory";
import { addressOf } from "@platform-rpc/items/web-address";
import { type ItemPlace, MemoryError, ProgramError, summaryOf, type UnlockedVaults } from "@platform-rpc/signed-in";
import type { Item } from "@platform-rpc/types";
import type { ToolCall } from "./tool-call.js";

/** What an assistant may know of an item: what the server knows, and while it is unlocked what is not secret in it. */
export interface KnownItem extends ReturnType<typeof summaryOf> {
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly websites?: readonly string[];
  /** Where and how an agent can use its secret. */
  readonly use?: { readonly hosts: readonly string[]; readonly as: string };
  /** Whether the person, or a program that they have certified, has signed it. */
  readonly isVerified?: boolean;
  /** In place of all that: how a content contradicts what this computer has seen, and its title. */
  readonly notCurrent?: string;
}

/**
 * Returns what an assistant may know of an item. Pass the place that was requested: the server can misreport it.
 *
 * @throws MemoryError if this computer cannot read or store what it has seen
 */
export async function knownItem(
  item: Item,
  place: ItemPlace,
  unlocked: UnlockedVaults | undefined,
): Promise<KnownItem> {
  const placed = { ...item, ...place };
  const summary = summaryOf(placed);
  const opened = unlocked?.has(place.vaultId) ? await unlocked.open(placed).catch(notOpened) : undefined;
  if (opened === undefined) return summary;
  const { content, finding } = opened;
  const { title, tags = [], fields } = content;
  if (finding !== undefined) return { ...summary, notCurrent: `${findingInShort[finding.what]}: ${title}` };
  const { isVerified } = opened;
  return { ...summary, title, tags, websites: hostsIn(fields), ...useIn(item.kind, content), isVerified };
}

function useIn(kind: string, content: ItemContent): Pick<KnownItem, "use"> {
  const { hosts, useAs } = usesOf(kind, content) ?? {};
  if (hosts === undefined || useAs === undefined) return {};
  return { use: { hosts, as: "name" in useAs ? `${useAs.type} ${useAs.name}` : useAs.type } };
}

/** Returns why the items of a vault have no titles; undefined if they have. */
export function whyUntitled({ unlocked, withoutTitles }: ToolCall, vaultId: string): string | undefined {
  if (unlocked === undefined) return withoutTitles;
  if (unlocked.has(vaultId)) return undefined;
  return "Titles are encrypted, and the key of this vault is not on this computer. The vault in the browser shows them.";
}

/** Returns the same of an item that a tool has changed. That has succeeded: an error of this computer must not look like its own. */
export function knownChange(item: Item, place: ItemPlace, unlocked: UnlockedVaults | undefined): Promise<KnownItem> {
  return knownItem(item, place, unlocked).catch((error: unknown) => {
    if (error instanceof MemoryError) return summaryOf({ ...item, ...place });
    throw error;
  });
}

/** It was altered, or deleted for ever: then it has no title. */
function notOpened(error: unknown): undefined {
  if (!(error instanceof ProgramError) || error instanceof MemoryError) throw error;
}

/** Returns the hosts of addresses: user names, paths and queries may contain secrets. */
function hostsIn(fields: readonly ContentField[]): readonly string[] {
  const addresses = fields.map(addressOf).filter((address) => address !== undefined);
  return [...new Set(addresses.map((address) => new URL(address).host))];
}
