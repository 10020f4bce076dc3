import type { ComponentProps } from "react";
import { Icon, type IconName } from "./icon.js";

interface IconButtonProps
  extends Pick<
    ComponentProps<"button">,
    "aria-keyshortcuts" | "aria-label" | "aria-expanded" | "onClick" | "popoverTarget" | "className"
  > {
  readonly icon: IconName;
  /** What the button does, shown while the person points at it or has the focus on it. Its name, unless `aria-label` says more. */
  readonly tip: string;
  /** Whether the tip is shown in any case, because it says what was done. Default: false. */
  readonly said?: boolean;
}

export function IconButton({ icon, tip, said = false, className = "", ...button }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={tip}
      {...button}
      className={`quiet icon-button ${className}`}
      data-tip={tip}
      data-said={said || undefined}
    >
      <Icon name={icon} />
    </button>
  );
}
