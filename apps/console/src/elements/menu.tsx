import type { MouseEvent, ReactNode, ToggleEvent } from "react";

interface MenuProps {
  /** What the `popoverTarget` of its button names. */
  readonly id: string;
  readonly children: ReactNode;
}

/** Buttons and links that a button opens next to itself. The focus goes to the first one, and each of them closes the menu. */
export function Menu({ id, children }: MenuProps) {
  return (
    <div id={id} className="menu" popover="auto" onToggle={focusFirst} onClickCapture={close}>
      {children}
    </div>
  );
}

function focusFirst({ currentTarget, newState }: ToggleEvent<HTMLElement>): void {
  if (newState === "open") currentTarget.querySelector<HTMLElement>("a, button")?.focus();
}

/** Before the entry acts: the focus returns to the button of the menu, and the entry may move it on. */
function close({ currentTarget, target }: MouseEvent<HTMLElement>): void {
  if (target instanceof Element && target.closest("a, button") !== null) currentTarget.hidePopover();
}
