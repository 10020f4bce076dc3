import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { ErrorMessage } from "../elements/error-message.js";
import { Sheet } from "../elements/sheet.js";
import { isTooOld } from "../elements/sign-in-again.js";
import { countOf } from "../items/count-of.js";
import type { ItemRow } from "../items/item-rows.js";
import { IdentityProof } from "../security/prove-dialog.js";
import { AccountError } from "../session/account-error.js";
import { callAccount } from "../session/call-account.js";
import { useConsole } from "../session/console-context.js";
import { useItemChanges } from "../vaults/item-changes.js";
import { createSignDeletions } from "../vaults/sign-deletion.js";

interface DeleteForEverProps {
  readonly rows: readonly ItemRow[];
  readonly words: string;
  readonly onDone?: () => void;
}

export function DeleteForEver({ rows, words, onDone }: DeleteForEverProps) {
  const [asking, setAsking] = useState<readonly ItemRow[]>();
  return (
    <>
      <button type="button" data-change className="danger" onClick={() => setAsking(rows)}>
        {words}
      </button>
      {asking && <Confirmation rows={asking} onDone={onDone} onClose={() => setAsking(undefined)} />}
    </>
  );
}

/** How long the page waits when the server takes no more calls now, in milliseconds: it then takes one a second. */
const limitedMs = 1_000;

interface ConfirmationProps {
  readonly rows: readonly ItemRow[];
  readonly onDone: (() => void) | undefined;
  readonly onClose: () => void;
}

function Confirmation({ rows, onDone, onClose }: ConfirmationProps) {
  const { refresh, forget } = useItemChanges();
  const { session } = useConsole();
  const [done, setDone] = useState(0);
  const closed = useRef(false);
  useEffect(
    () => () => {
      closed.current = true;
    },
    [],
  );
  const destroying = useMutation({
    async mutationFn() {
      for (const [index, { vaultId, item }] of rows.entries()) {
        if (index < done) continue;
        if (closed.current) return;
        const { itemId, version } = item;
        const [signed] = await createSignDeletions(session)(vaultId, [{ itemId, baseVersion: version }], "shred");
        await destroy({ vaultId, itemId, version, proof: signed?.proof });
        // Its deletion cannot be undone any more.
        forget();
        await refresh(vaultId, item.itemId);
        setDone(index + 1);
      }
      onClose();
      onDone?.();
    },
  });
  const [first, ...others] = rows;
  const what = others.length === 0 ? `“${first?.title}”` : countOf(rows);
  return (
    <Sheet title={`Delete ${what} for ever?`} onClose={onClose}>
      {isTooOld(destroying.error) ? (
        <>
          <p>You signed in more than 5 minutes ago. Confirm that it is you. {what} is then deleted for ever.</p>
          <IdentityProof onProven={() => destroying.mutate()} onCancel={onClose} />
        </>
      ) : (
        <>
          <p>
            {others.length === 0 ? "Its content and its history are" : "Their contents and their history are"} destroyed
            now, and nobody can restore {others.length === 0 ? "it" : "them"}. Backups that were made before contain it,
            encrypted, until they are deleted.
          </p>
          <p role="status">{destroying.isPending && others.length > 0 && `Deleting: ${done} of ${countOf(rows)}`}</p>
          <ErrorMessage error={destroying.error} />
          <div className="actions">
            <Button className="quiet" onPress={onClose}>
              {destroying.isPending ? "Stop" : "Cancel"}
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

/** Destroys the content of a tombstone. Waits as long as the server takes no more calls. */
async function destroy(tombstone: object) {
  for (;;) {
    try {
      return await callAccount("items/delete-for-ever", tombstone);
    } catch (error) {
      if (!(error instanceof AccountError && error.reason === "RATE_LIMITED")) throw error;
      await new Promise((resolve) => setTimeout(resolve, limitedMs));
    }
  }
}
