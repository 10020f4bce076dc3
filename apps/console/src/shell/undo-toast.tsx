import { Suspense } from "react";
import { lazyPart, PartBoundary } from "../elements/part-boundary.js";
import { useItemChanges } from "../vaults/item-changes.js";

const Toast = lazyPart(async () => (await import("./toast.js")).Toast);

/** Says what was deleted last, and offers to restore it. */
export function UndoToast() {
  const { deleted, forget } = useItemChanges();
  return (
    <div role="status">
      <PartBoundary onClose={forget}>
        <Suspense>{deleted && <Toast key={`${deleted.key} ${deleted.item.version}`} row={deleted} />}</Suspense>
      </PartBoundary>
    </div>
  );
}
