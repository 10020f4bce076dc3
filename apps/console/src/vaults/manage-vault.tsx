import { Suspense, useState } from "react";
import { Icon } from "../elements/icon.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import type { OwnVault } from "./own-vault.js";

const VaultSheet = lazyPart(async () => (await import("./vault-sheet.js")).VaultSheet);

/** A button that opens what the owner of a vault can do with it. */
export function ManageVault({ vault }: { readonly vault: OwnVault }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="quiet"
        aria-label="Rename or delete this vault"
        title="Rename or delete this vault"
        onClick={() => setOpen(true)}
      >
        <Icon name="more" />
      </button>
      <PartBoundary onClose={() => setOpen(false)}>
        <Suspense>{open && <VaultSheet vault={vault} onClose={() => setOpen(false)} />}</Suspense>
      </PartBoundary>
    </>
  );
}
