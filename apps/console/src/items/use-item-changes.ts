import { useMutation } from "@connectrpc/connect-query";
import { isPlatformError, type VersionConflictDetail } from "@platform-rpc/client";
import { type Item, VaultService } from "@platform-rpc/types";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { useState } from "react";
import { useConsole } from "../session/console-context.js";

/** Deletes and restores the items of a vault. */
export interface ItemChanges {
  readonly busy: boolean;
  /** Why the last change failed. */
  readonly error: unknown;
  /** The item that was deleted last, which `undo` restores; undefined if there is none. */
  readonly deleted: Item | undefined;
  /** Deletes an item that is still at its version. Resolves with the conflict if it is not, and with false if the call failed. */
  remove(item: Pick<Item, "itemId" | "version">): Promise<true | false | VersionConflictDetail>;
  /** Restores a tombstone that is still at its version. Resolves with whether it is restored. */
  restore(item: Item): Promise<boolean>;
  readonly undo: () => void;
}

/** Returns the changes of a vault. @param add gets the new states of changed items */
export function useItemChanges(vaultId: string, add: (items: readonly Item[]) => void): ItemChanges {
  const { calls } = useConsole();
  const [deleted, setDeleted] = useState<Item>();
  const [error, setError] = useState<unknown>();
  const deleting = useMutation(VaultService.method.deleteItem, { transport: calls.api });
  const restoring = useMutation(MemberVaultService.method.restoreItem);

  const restore = async ({ itemId, version: baseVersion }: Item) => {
    setError(undefined);
    try {
      const { item } = await restoring.mutateAsync({ vaultId, itemId, baseVersion });
      if (item !== undefined) add([item]);
      setDeleted((last) => (last?.itemId === itemId ? undefined : last));
      return true;
    } catch (thrown) {
      setError(thrown);
      return false;
    }
  };
  return {
    busy: deleting.isPending || restoring.isPending,
    error,
    deleted,
    restore,
    undo: () => {
      if (deleted !== undefined) void restore(deleted);
    },
    async remove({ itemId, version: baseVersion }) {
      setError(undefined);
      try {
        const { item } = await deleting.mutateAsync({ vaultId, itemId, baseVersion });
        if (item !== undefined) add([item]);
        setDeleted(item);
        return true;
      } catch (thrown) {
        const cause = thrown instanceof Error ? thrown.cause : undefined;
        if (isPlatformError(cause, "VERSION_CONFLICT")) return cause.detail;
        setError(thrown);
        return false;
      }
    },
  };
}
