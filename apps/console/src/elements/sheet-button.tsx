import { type ReactNode, Suspense, useState } from "react";
import { Icon, type IconName } from "./icon.js";
import { PartBoundary } from "./part-boundary.js";

interface SheetButtonProps {
  readonly icon: IconName;
  readonly label: string;
  /** Whether the dialog is open from the start. Default: false. */
  readonly isOpen?: boolean;
  /** Returns the dialog, a part that is loaded when it is first shown. */
  readonly children: (close: () => void) => ReactNode;
}

/** A button with an icon that opens a dialog. */
export function SheetButton({ icon, label, isOpen = false, children }: SheetButtonProps) {
  const [open, setOpen] = useState(isOpen);
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
