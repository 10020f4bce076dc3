import { labelOf } from "@platform-rpc/items/kind-fields";
import { CopyButton } from "../detail/copy-button.js";
import { copyShortcuts } from "../detail/field.js";
import type { ItemRow } from "../items/item-rows.js";
import { useLibrary } from "../vaults/library.js";

interface RowCopyProps {
  readonly row: ItemRow;
  /** Whether the keys copy from this row, and not from the open item. */
  readonly focused: boolean;
}

const icons = { username: "person", password: "login" } as const;

export function RowCopy({ row, focused }: RowCopyProps) {
  const { kept } = useLibrary();
  return (
    <span className="row-copy">
      {(["username", "password"] as const).map((name) => {
        const value = row.content?.fields?.find((field) => field.name === name)?.value;
        if (!value) return undefined;
        const label = labelOf(name);
        const copied = async () => {
          kept.use(row.key);
          return value;
        };
        return (
          <CopyButton
            key={name}
            label={`${label} of ${row.title}`}
            icon={icons[name]}
            tip={`Copy ${label.toLowerCase()}`}
            value={copied}
            shortcut={focused ? copyShortcuts.get(name) : undefined}
          />
        );
      })}
    </span>
  );
}
