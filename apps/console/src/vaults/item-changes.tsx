import { createClient } from "@connectrpc/connect";
import type { Item } from "@platform-rpc/types";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { createContext, type ReactNode, useContext, useState } from "react";
import { ItemError } from "../elements/explain.js";
import { type ItemRow, rowOf } from "../items/item-rows.js";
import { useConsole } from "../session/console-context.js";
import { useLibrary } from "./library.js";
import { createSignDeletion } from "./sign-deletion.js";

/** Deletes and restores single items. */
export interface ItemChanges {
  readonly busy: boolean;
  /** Why the last change failed. */
  readonly error: unknown;
  /** The item that was deleted last, which `restore` restores. Undefined once it is forgotten or restored. */
  readonly deleted: ItemRow | undefined;
  /** Deletes an item that is still at its version. After a conflict, the library has the current version. */
  remove(row: ItemRow): Promise<"deleted" | "conflict" | "failed">;
  /** Restores a tombstone that is still at its version. Resolves with undefined if it failed. */
  restore(row: ItemRow): Promise<ItemRow | undefined>;
  readonly forget: () => void;
  /** Gets an item that somebody else has changed. Resolves with undefined if it failed. */
  refresh(vaultId: string, itemId: string): Promise<Item | undefined>;
}

const ItemChangesContext = createContext<ItemChanges | undefined>(undefined);

/** Returns the changes of items. @throws TypeError outside of the provider */
export function useItemChanges(): ItemChanges {
  const changes = useContext(ItemChangesContext);
  if (changes === undefined) throw new TypeError("useItemChanges needs an ItemChangesProvider.");
  return changes;
}

export function ItemChangesProvider({ children }: { readonly children: ReactNode }) {
  const { session, calls } = useConsole();
  const { add } = useLibrary();
  const [deleted, setDeleted] = useState<ItemRow>();
  const [error, setError] = useState<unknown>();
  const [running, setRunning] = useState(0);
  const members = createClient(MemberVaultService, calls.member);
  const sign = createSignDeletion(session);

  /** Resolves with the item of a response, and undefined if the call failed. */
  const change = async (vaultId: string, calling: Promise<{ item?: Item | undefined }>): Promise<Item | undefined> => {
    setError(undefined);
    setRunning((count) => count + 1);
    try {
      const { item } = await calling;
      if (item !== undefined) add(vaultId, [item]);
      return item;
    } finally {
      setRunning((count) => count - 1);
    }
  };

  /** Deletes an item. Resolves with why the server did not, or with its tombstone. */
  const deleteSigned = async (version: Parameters<typeof sign>[1]) => {
    const { vaultId, ...item } = version;
    const proof = await sign("delete", version);
    const { outcomes } = await members.deleteItems({ vaultId, items: [{ ...item, proof }] });
    return outcomes[0] ?? { item: undefined, reason: "UNKNOWN" };
  };

  const changes: ItemChanges = {
    busy: running > 0,
    error,
    deleted,
    forget: () => setDeleted(undefined),
    async refresh(vaultId, itemId) {
      try {
        return await change(vaultId, members.getItem({ vaultId, itemId }));
      } catch (thrown) {
        setError(thrown);
        return undefined;
      }
    },
    async remove({ vaultId, item: { itemId, version: baseVersion }, content }) {
      try {
        const deleting = deleteSigned({ vaultId, itemId, baseVersion });
        const item = await change(vaultId, deleting);
        const { reason } = await deleting;
        if (reason === "VERSION_CONFLICT") {
          await changes.refresh(vaultId, itemId);
          return "conflict";
        }
        if (item === undefined) throw new ItemError(reason);
        setDeleted(rowOf(vaultId, item, content));
        return "deleted";
      } catch (thrown) {
        setError(thrown);
        return "failed";
      }
    },
    async restore({ vaultId, key, item: { itemId, version: baseVersion }, content }) {
      try {
        const item = await change(vaultId, members.restoreItem({ vaultId, itemId, baseVersion }));
        setDeleted((last) => (last?.key === key ? undefined : last));
        return item && rowOf(vaultId, item, content);
      } catch (thrown) {
        setError(thrown);
        return undefined;
      }
    },
  };
  return <ItemChangesContext value={changes}>{children}</ItemChangesContext>;
}
