import { lazyPart } from "../elements/part-boundary.js";
import { SheetButton } from "../elements/sheet-button.js";
import { useConsole } from "../session/console-context.js";

const NewVaultSheet = lazyPart(async () => (await import("./new-vault-sheet.js")).NewVaultSheet);

/** A button that creates a vault. Not shown without the keys that it needs. */
export function NewVault() {
  return (
    useConsole().session.keys?.member && (
      <SheetButton icon="plus" label="New vault" isOpen={location.hash.startsWith("#new-vault")}>
        {(close) => <NewVaultSheet onClose={close} />}
      </SheetButton>
    )
  );
}
