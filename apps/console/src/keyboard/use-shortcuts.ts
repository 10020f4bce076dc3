import { useEffect } from "react";
import { areShortcutsOn } from "./enabled.js";
import { type Shortcut, shortcutOf } from "./shortcuts.js";

/** Calls the action of a pressed shortcut. */
export function useShortcuts(actions: Readonly<Record<Shortcut, () => void>>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, altKey, metaKey, defaultPrevented } = event;
      const elsewhere = isText(event.target) || document.querySelector("[role=dialog]") !== null;
      const shortcut = shortcutOf({ key, ctrlKey, altKey, metaKey, defaultPrevented, elsewhere });
      if (shortcut === undefined || !areShortcutsOn()) return;
      event.preventDefault();
      actions[shortcut]();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [actions]);
}

function isText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea:not([readonly]), select")
  );
}
