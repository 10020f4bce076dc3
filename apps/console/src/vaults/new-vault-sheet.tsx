import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useNavigate } from "../elements/link.js";
import { Sheet } from "../elements/sheet.js";
import { useConsole } from "../session/console-context.js";
import { createVaultChanges } from "./change-vaults.js";
import { useLibrary } from "./library.js";
import { VaultNameForm } from "./vault-name-form.js";

/** The command line opens `#new-vault=<name>`. The server does not see the fragment of an address. */
function nameInAddress(): string {
  return new URLSearchParams(location.hash.slice(1)).get("new-vault") ?? "";
}

export function NewVaultSheet({ onClose }: { readonly onClose: () => void }) {
  const { session, members } = useConsole();
  const { again } = useLibrary();
  const navigate = useNavigate();
  const creating = useMutation({
    mutationFn: (name: string) => createVaultChanges(session, members).create(name),
    async onSuccess(vaultId) {
      await again();
      onClose();
      navigate({ to: `/vaults/${vaultId}` });
    },
  });
  const [proposed] = useState(nameInAddress);
  // Otherwise the dialog would be open again after the page is loaded again.
  useEffect(() => {
    if (location.hash !== "") navigate({ to: ".", hash: "", replace: true });
  }, [navigate]);
  return (
    <Sheet title="New vault" onClose={onClose}>
      <VaultNameForm
        name=""
        proposed={proposed}
        action="Create"
        busy={creating.isPending}
        error={creating.error}
        onName={(name) => creating.mutate(name)}
        onClose={onClose}
      />
    </Sheet>
  );
}
