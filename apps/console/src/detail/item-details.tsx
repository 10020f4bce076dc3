import { Sheet } from "../elements/sheet.js";
import type { ItemRow } from "../items/item-rows.js";

export interface ItemDetailsProps {
  readonly row: ItemRow;
  readonly vaultName: string;
  /** Whether only people with access to the vault can have written it. */
  readonly isSealed: boolean;
  readonly onClose: () => void;
}

export function ItemDetails({ row: { item, vaultId }, vaultName, isSealed, onClose }: ItemDetailsProps) {
  return (
    <Sheet title="Details" onClose={onClose}>
      <p>
        Version {item.version}.
        {isSealed && !item.deleted && ` Only people with access to ${vaultName} can read this item; the server cannot.`}
      </p>
      <p className="hint">
        Item <code>{item.itemId}</code>, vault <code>{vaultId}</code>, kind <code>{item.kind}</code>. The times, your
        role in the vault, and how long a deleted item can be restored are what the server says. Your browser cannot
        check them.
      </p>
    </Sheet>
  );
}
