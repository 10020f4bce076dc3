import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";

export interface SheetProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog over the page. Escape closes it, and the focus then returns to where it was. */
export function Sheet({ title, onClose, children }: SheetProps) {
  return (
    <ModalOverlay className="backdrop" isOpen isDismissable onOpenChange={(open) => open || onClose()}>
      <Modal className="dialog sheet">
        <Dialog>
          <div className="sheet-head">
            <Heading slot="title">{title}</Heading>
            <Button className="quiet" onPress={onClose}>
              Close
            </Button>
          </div>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
