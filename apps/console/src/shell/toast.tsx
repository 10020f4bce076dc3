import { useEffect, useRef, useState } from "react";
import { createCountdown } from "../elements/countdown.js";
import type { ItemRow } from "../items/item-rows.js";
import { useItemChanges } from "../vaults/item-changes.js";
import { useVault } from "../vaults/library.js";

const shownMs = 8_000;

/** It waits while the person points at it or has the focus in it. */
export function Toast({ row }: { readonly row: ItemRow }) {
  const { forget, restore } = useItemChanges();
  const retentionDays = useVault(row.vaultId)?.retentionDays;
  const [countdown] = useState(() => createCountdown(shownMs, forget));
  const toast = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { hold, run } = countdown;
    for (const event of ["pointerenter", "focusin"]) toast.current?.addEventListener(event, hold);
    for (const event of ["pointerleave", "focusout"]) toast.current?.addEventListener(event, run);
    run();
    return hold;
  }, [countdown]);
  return (
    <div className="toast" ref={toast}>
      <span>“{row.title}” deleted</span>
      {retentionDays !== 0 && (
        <button type="button" data-change onClick={() => restore(row)}>
          Undo
        </button>
      )}
    </div>
  );
}
