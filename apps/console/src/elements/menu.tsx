import type { ReactNode, ToggleEvent } from "react";

interface MenuProps {
  /** What the `popoverTarget` of its button, and of its entries that close it, names. */
  readonly id: string;
  readonly children: ReactNode;
}

/** Buttons and links that a button opens next to itself. The focus goes to the first one. */
export function Menu({ id, children }: MenuProps) {
  return (
    <div id={id} className="menu" popover="auto" onToggle={focusFirst}>
      {children}
    </div>
  );
}

interface MenuEntryProps {
  /** The id of its menu. */
  readonly menu: string;
  /** Whether it begins a change, which is off while the server does not answer. Default: false. */
  readonly change?: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}

/** An action in a menu, which it closes. */
export function MenuEntry({ menu, change = false, onChoose, children }: MenuEntryProps) {
  return (
    <button
      type="button"
      className="quiet"
      {...(change && { "data-change": true })}
      popoverTarget={menu}
      popoverTargetAction="hide"
      onClick={onChoose}
    >
      {children}
    </button>
  );
}

function focusFirst({ currentTarget, newState }: ToggleEvent<HTMLElement>): void {
  if (newState === "open") currentTarget.querySelector<HTMLElement>("a, button")?.focus();
}
