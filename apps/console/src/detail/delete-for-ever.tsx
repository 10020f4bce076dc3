import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { ErrorMessage } from "../elements/error-message.js";
import { Sheet } from "../elements/sheet.js";
import { isTooOld } from "../elements/sign-in-again.js";
import type { ItemRow } from "../items/item-rows.js";
import { IdentityProof } from "../security/prove-dialog.js";
import { callAccount } from "../session/call-account.js";
import { useItemChanges } from "../vaults/item-changes.js";

/** A button that destroys the content of a deleted item before its retention ends. */
export function DeleteForEver({ row }: { readonly row: ItemRow }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button type="button" className="danger" onClick={() => setAsking(true)}>
        Delete for ever
      </button>
      {asking && <Confirmation row={row} onClose={() => setAsking(false)} />}
    </>
  );
}

function Confirmation({ row, onClose }: { readonly row: ItemRow; readonly onClose: () => void }) {
  const { vaultId, item, title } = row;
  const { refresh, forget } = useItemChanges();
  const destroying = useMutation({
    mutationFn: () => {
      const { itemId, version } = item;
      return callAccount("items/delete-for-ever", { vaultId, itemId, version });
    },
    async onSuccess() {
      // Its deletion cannot be undone any more.
      forget();
      await refresh(vaultId, item.itemId);
      onClose();
    },
  });
  return (
    <Sheet title={`Delete “${title}” for ever?`} onClose={onClose}>
      {isTooOld(destroying.error) ? (
        <>
          <p>You signed in more than 5 minutes ago. Confirm that it is you. The item is then deleted for ever.</p>
          <IdentityProof onProven={() => destroying.mutate()} onCancel={onClose} />
        </>
      ) : (
        <>
          <p>
            Its content is destroyed now, and nobody can restore it. Backups that were made before contain it,
            encrypted, until they are deleted.
          </p>
          <ErrorMessage error={destroying.error} />
          <div className="actions">
            <Button className="quiet" onPress={onClose}>
              Cancel
            </Button>
            <Button className="danger primary" isDisabled={destroying.isPending} onPress={() => destroying.mutate()}>
              Delete for ever
            </Button>
          </div>
        </>
      )}
    </Sheet>
  );
}
