import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { ErrorMessage } from "../elements/error-message.js";
import { Link, useNavigate } from "../elements/link.js";
import { Sheet } from "../elements/sheet.js";
import { countOf } from "../items/count-of.js";
import { useConsole } from "../session/console-context.js";
import { createVaultChanges } from "./change-vaults.js";
import { useLibrary } from "./library.js";
import type { OwnVault } from "./own-vault.js";
import { VaultNameForm } from "./vault-name-form.js";

interface VaultSheetProps {
  readonly vault: OwnVault;
  readonly onClose: () => void;
}

export function VaultSheet({ vault, onClose }: VaultSheetProps) {
  const { session, members } = useConsole();
  const { again } = useLibrary();
  const [deleting, setDeleting] = useState(false);
  const renaming = useMutation({
    mutationFn: (name: string) => createVaultChanges(session, members).rename(vault, name),
    // After a failure, too: the vault may have another name now.
    onSettled: () => again(),
    onSuccess: onClose,
  });
  if (deleting) return <DeleteVault vault={vault} onClose={onClose} />;
  return (
    <Sheet title="This vault" onClose={onClose}>
      <VaultNameForm
        key={vault.revision}
        name={vault.isOlderName ? "" : vault.name}
        action="Rename"
        busy={renaming.isPending}
        error={renaming.error}
        onName={(name) => renaming.mutate(name)}
        onClose={onClose}
      />
      <hr />
      <div className="actions">
        <Link className="button" to="/export" hash={vault.vaultId} onClick={onClose}>
          Export this vault…
        </Link>
        <Button data-change className="danger" onPress={() => setDeleting(true)}>
          Delete this vault…
        </Button>
      </div>
    </Sheet>
  );
}

function DeleteVault({ vault, onClose }: VaultSheetProps) {
  const { session, members } = useConsole();
  const { rows, again } = useLibrary();
  const navigate = useNavigate();
  const items = rows.filter(({ vaultId, item }) => vaultId === vault.vaultId && !item.deleted);
  const removing = useMutation({
    mutationFn: () => createVaultChanges(session, members).remove(vault),
    async onSuccess(deletedItems) {
      navigate({ to: deletedItems > 0 ? "/deleted" : "/" });
      await again();
      onClose();
    },
  });
  return (
    <Sheet title={`Delete “${vault.name}”?`} onClose={onClose}>
      {items.length === 0 ? (
        <p>The vault is empty. It disappears from all your browsers.</p>
      ) : (
        <p>
          Its {countOf(items)} {items.length === 1 ? "moves" : "move"} to <strong>Deleted</strong>, where{" "}
          {items.length === 1 ? "it" : "they"} can be restored for {vault.retentionDays}{" "}
          {vault.retentionDays === 1 ? "day" : "days"}. Whoever restores one has the vault back.
        </p>
      )}
      <ErrorMessage error={removing.error} />
      <div className="actions">
        <Button className="quiet" onPress={onClose}>
          Cancel
        </Button>
        <Button className="danger primary" isDisabled={removing.isPending} onPress={() => removing.mutate()}>
          {removing.isPending ? "Deleting…" : "Delete the vault"}
        </Button>
      </div>
    </Sheet>
  );
}
