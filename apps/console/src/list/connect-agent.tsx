import { Suspense, useState } from "react";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";

const ConnectSheet = lazyPart(async () => (await import("./connect-sheet.js")).ConnectSheet);

/** Shows how an agent or a program is connected. */
export function ConnectAgent() {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Connect an agent
      </button>
      {open && (
        <PartBoundary onClose={close}>
          <Suspense>
            <ConnectSheet onClose={close} />
          </Suspense>
        </PartBoundary>
      )}
    </>
  );
}
