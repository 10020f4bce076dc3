import { lazyPart } from "../elements/part-boundary.js";
import { SheetButton } from "../elements/sheet-button.js";
import type { OwnVault } from "./own-vault.js";

const VaultSheet = lazyPart(async () => (await import("./vault-sheet.js")).VaultSheet);

/** A button that opens what the owner of a vault can do with it. */
export function ManageVault({ vault }: { readonly vault: OwnVault }) {
  return (
    <SheetButton icon="more" label="Rename or delete this vault">
      {(close) => <VaultSheet vault={vault} onClose={close} />}
    </SheetButton>
  );
}
