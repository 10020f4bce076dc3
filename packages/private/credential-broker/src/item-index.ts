import { usesOf } from "@platform-rpc/items/item-use";
import { titleOf } from "@platform-rpc/items/kind-fields";
import {
  type Clients,
  type ItemChange,
  ProgramError,
  platformErrorOf,
  type UnlockedVaults,
} from "@platform-rpc/signed-in";
import type { SecretItem } from "./place-secret.js";

/** An item that agents can use, as the broker has opened it. */
export interface UsableItem extends SecretItem {
  readonly vaultId: string;
  readonly itemId: string;
  readonly version: number;
  readonly title: string;
}

interface ListedVault {
  readonly items: Map<string, UsableItem>;
  sequence: number;
  listedAt: number;
  listing: Promise<void> | undefined;
}

/** How old a list may be when it is used, in milliseconds. What it says of an item is checked with each use. */
const freshMs = 5_000;

export type ItemIndex = ReturnType<typeof createItemIndex>;

/** Creates the index of the items of unlocked vaults that agents can use. Without it, the contents that it keeps are gone. */
export function createItemIndex(
  { member }: { readonly member: Pick<Clients["member"], "listChanges"> },
  unlocked: Pick<UnlockedVaults, "open">,
  now: () => number = Date.now,
) {
  const vaults = new Map<string, ListedVault>();

  function vaultOf(vaultId: string): ListedVault {
    const known = vaults.get(vaultId);
    if (known !== undefined) return known;
    const vault = { items: new Map(), sequence: 0, listedAt: Number.NEGATIVE_INFINITY, listing: undefined };
    vaults.set(vaultId, vault);
    return vault;
  }

  async function list(vaultId: string, vault: ListedVault): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      const page = await nextChanges(vaultId, vault.sequence);
      if (page === undefined) {
        vault.items.clear();
        vault.sequence = 0;
        break;
      }
      const opened = await Promise.all(page.changes.map(({ item }) => open(vaultId, item)));
      for (const [at, { item }] of page.changes.entries()) {
        if (item === undefined) continue;
        const usable = opened[at];
        if (usable === undefined) vault.items.delete(item.itemId);
        else vault.items.set(item.itemId, usable);
      }
      const next = page.cursor?.sequence ?? vault.sequence;
      hasMore = page.hasMore && next > vault.sequence;
      vault.sequence = next;
    }
    vault.listedAt = now();
  }

  /** Returns undefined if the person has lost the vault: the items of their others can be used. */
  async function nextChanges(vaultId: string, afterSequence: number) {
    return member.listChanges({ vaultId, afterSequence, limit: 500 }).catch((thrown: unknown) => {
      if (platformErrorOf(thrown)?.reason !== "VAULT_NOT_FOUND") throw thrown;
      return undefined;
    });
  }

  /** An item that was altered, or is older than what this computer has seen, is not used. */
  async function open(vaultId: string, item: ItemChange["item"] | undefined): Promise<UsableItem | undefined> {
    if (item === undefined || item.deleted) return undefined;
    try {
      const { content, finding } = await unlocked.open(item, vaultId);
      const use = finding === undefined ? usesOf(item.kind, content) : undefined;
      const { itemId, version, kind } = item;
      return use && { vaultId, itemId, version, kind, content, use, title: titleOf(kind, content) };
    } catch (error) {
      if (error instanceof ProgramError) return undefined;
      throw error;
    }
  }

  /** Lists what has changed in a vault. */
  function refresh(vaultId: string): Promise<void> {
    const vault = vaultOf(vaultId);
    vault.listing ??= list(vaultId, vault).finally(() => {
      vault.listing = undefined;
    });
    return vault.listing;
  }

  return {
    /** Returns the items for a host in the vaults. Lists first what is new in a vault that was not listed for some seconds. */
    async find(host: string, vaultIds: readonly string[]): Promise<readonly UsableItem[]> {
      const stale = vaultIds.filter((vaultId) => now() - vaultOf(vaultId).listedAt > freshMs);
      await Promise.all(stale.map(refresh));
      const items = vaultIds.flatMap((vaultId) => [...vaultOf(vaultId).items.values()]);
      return items.filter(({ use }) => use.hosts.includes(host));
    },
    refresh,
  };
}
