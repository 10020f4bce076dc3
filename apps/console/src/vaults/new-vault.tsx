import { Suspense, useState } from "react";
import { Icon } from "../elements/icon.js";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import { useConsole } from "../session/console-context.js";

const NewVaultSheet = lazyPart(async () => (await import("./new-vault-sheet.js")).NewVaultSheet);

/** A button that creates a vault. Not shown without the keys that it needs. */
export function NewVault() {
  const { session } = useConsole();
  const [open, setOpen] = useState(false);
  if (session.keys?.member === undefined) return undefined;
  return (
    <>
      <button type="button" className="quiet" aria-label="New vault" title="New vault" onClick={() => setOpen(true)}>
        <Icon name="plus" />
      </button>
      <PartBoundary onClose={() => setOpen(false)}>
        <Suspense>{open && <NewVaultSheet onClose={() => setOpen(false)} />}</Suspense>
      </PartBoundary>
    </>
  );
}
