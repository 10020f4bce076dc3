import { type ReactNode, useState } from "react";
import type { IconName } from "../elements/icon.js";
import { IconButton } from "../elements/icon-button.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import type { OwnVault } from "./own-vault.js";

const VaultSheet = lazyPart(async () => (await import("./vault-sheet.js")).VaultSheet);
const NewVaultSheet = lazyPart(async () => (await import("./new-vault-sheet.js")).NewVaultSheet);

export function ManageVault({ vault }: { readonly vault: OwnVault }) {
  return (
    <SheetButton icon="more" label="Rename or delete this vault">
      {(close) => <VaultSheet vault={vault} onClose={close} />}
    </SheetButton>
  );
}

export function NewVault() {
  return (
    <SheetButton icon="plus" label="New vault" isOpen={location.hash.startsWith("#new-vault")}>
      {(close) => <NewVaultSheet onClose={close} />}
    </SheetButton>
  );
}

interface SheetButtonProps {
  readonly icon: IconName;
  readonly label: string;
  /** Whether the dialog is open from the start. Default: false. */
  readonly isOpen?: boolean;
  /** Returns the dialog, a part that is loaded when it is first shown. */
  readonly children: (close: () => void) => ReactNode;
}

function SheetButton({ icon, label, isOpen = false, children }: SheetButtonProps) {
  const [open, setOpen] = useState(isOpen);
  const close = () => setOpen(false);
  return (
    <>
      <IconButton data-change icon={icon} tip={label} onClick={() => setOpen(true)} />
      <PartBoundary onClose={close}>{open && children(close)}</PartBoundary>
    </>
  );
}
