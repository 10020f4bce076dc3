import { checkAnswer } from "@platform-rpc/items/vault/check-answer";
import type { Item } from "@platform-rpc/types";
import { createContext, type ReactNode, useContext, useState } from "react";
import { ItemError } from "../elements/explain.js";
import { type ItemRow, rowOf } from "../items/item-rows.js";
import { useConsole } from "../session/console-context.js";
import { useLibrary } from "./library.js";
import { createSignDeletions } from "./sign-deletion.js";

export interface ItemChanges {
  readonly busy: boolean;
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

export function useItemChanges(): ItemChanges {
  const changes = useContext(ItemChangesContext);
  if (changes === undefined) throw new TypeError("useItemChanges needs an ItemChangesProvider.");
  return changes;
}

export function ItemChangesProvider({ children }: { readonly children: ReactNode }) {
  const { session, members } = useConsole();
  const { add } = useLibrary();
  const [deleted, setDeleted] = useState<ItemRow>();
  const [error, setError] = useState<unknown>();
  const [running, setRunning] = useState(0);

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
      const deleteSigned = async () => {
        const items = await createSignDeletions(session)(vaultId, [{ itemId, baseVersion }]);
        const [outcome] = (await members.deleteItems({ vaultId, items })).outcomes;
        if (outcome?.item === undefined) throw new ItemError(outcome?.reason ?? "UNKNOWN");
        return { item: checkAnswer({ itemId, baseVersion }, outcome.item) };
      };
      try {
        const item = await change(vaultId, deleteSigned());
        setDeleted(item && rowOf(vaultId, item, content));
        return "deleted";
      } catch (thrown) {
        if (!(thrown instanceof ItemError && thrown.reason === "VERSION_CONFLICT")) {
          setError(thrown);
          return "failed";
        }
        await changes.refresh(vaultId, itemId);
        return "conflict";
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
