import type { ReactNode } from "react";
import { Icon } from "../elements/icon.js";
import type { ItemRow } from "./item-rows.js";
import { iconOfKind, monogramOf } from "./kind-icon.js";

declare module "react" {
  interface CSSProperties {
    "--hue"?: number;
  }
}

interface KindMarkProps {
  readonly row: ItemRow;
  readonly large?: boolean;
  /** What takes its place, such as a checkbox. */
  readonly children?: ReactNode;
}

/** The first letter of a login, or the icon of its kind. */
export function KindMark({ row, large = false, children }: KindMarkProps) {
  const monogram = monogramOf(row);
  const size = large ? "kind large" : "kind";
  return (
    <span className={monogram ? `${size} monogram` : size} style={monogram && { "--hue": monogram.hue }}>
      {monogram === undefined ? (
        <Icon name={iconOfKind(row.item.kind)} />
      ) : (
        <span aria-hidden="true">{monogram.letter}</span>
      )}
      {children}
    </span>
  );
}
