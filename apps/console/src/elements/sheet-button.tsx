import { type ReactNode, Suspense, useState } from "react";
import { Icon, type IconName } from "./icon.js";
import { PartBoundary } from "./part-boundary.js";

interface SheetButtonProps {
  readonly icon: IconName;
  readonly label: string;
  /** Returns the dialog, a part that is loaded when it is first shown. */
  readonly children: (close: () => void) => ReactNode;
}

/** A button with an icon that opens a dialog. */
export function SheetButton({ icon, label, children }: SheetButtonProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" className="quiet" aria-label={label} title={label} onClick={() => setOpen(true)}>
        <Icon name={icon} />
      </button>
      <PartBoundary onClose={close}>
        <Suspense>{open && children(close)}</Suspense>
      </PartBoundary>
    </>
  );
}
