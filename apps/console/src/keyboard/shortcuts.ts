import { useEffect } from "react";

export const shortcuts = {
  "/": "Search",
  n: "Add an item",
  e: "Edit the open item",
  c: "Copy the user name of the focused or open item",
  C: "Copy its password",
  j: "Go to the next item",
  k: "Go to the item before",
  Delete: "Delete the item",
  u: "Undo the last deletion, or removal of a tag",
  x: "Select or deselect the focused item",
  X: "Select all items up to the focused one",
  Escape: "Clear the selection",
  "?": "Show this help",
} as const;

type Shortcut = keyof typeof shortcuts;

interface PressedKey extends Pick<KeyboardEvent, "key" | "ctrlKey" | "altKey" | "metaKey" | "defaultPrevented"> {
  /** Whether the person types text, or a dialog or a menu is open. */
  readonly elsewhere: boolean;
}

/** Returns the shortcut of a key; undefined if the key is for something else. */
export function shortcutOf(pressed: PressedKey): Shortcut | undefined {
  const { key, ctrlKey, altKey, metaKey, defaultPrevented, elsewhere } = pressed;
  if (ctrlKey || altKey || metaKey || defaultPrevented || elsewhere) return undefined;
  return isShortcut(key) ? key : undefined;
}

function isShortcut(key: string): key is Shortcut {
  return Object.hasOwn(shortcuts, key);
}

const storedAs = "vault: keyboard shortcuts";

/**
 * Returns whether single characters are shortcuts in this browser. People who speak to their computer need to turn them off.
 *
 * @see https://www.w3.org/TR/WCAG22/#character-key-shortcuts
 */
export function areShortcutsOn(): boolean {
  return localStorage.getItem(storedAs) !== "off";
}

export function turnShortcuts(on: boolean): void {
  localStorage.setItem(storedAs, on ? "on" : "off");
}

export function useShortcuts(actions: Readonly<Partial<Record<Shortcut, () => void>>>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, altKey, metaKey, defaultPrevented } = event;
      const elsewhere = isText(event.target) || document.querySelector("[role=dialog], :popover-open") !== null;
      const shortcut = shortcutOf({ key, ctrlKey, altKey, metaKey, defaultPrevented, elsewhere });
      // They change items at once. The others press a button, which is off.
      const isOff = document.body.hasAttribute("data-changes-off") && /^(?:Delete|u)$/.test(key);
      const action = shortcut && !isOff ? actions[shortcut] : undefined;
      if (action === undefined || !(shortcut === "Escape" || areShortcutsOn())) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [actions]);
}

/** Presses the button or follows the link that has the shortcut, if it is shown. */
export function pressShortcut(shortcut: "n" | "e" | "c" | "Shift+C"): void {
  // What is copied is never of another item than the one that has the focus.
  const row = /c$/i.test(shortcut) ? document.querySelector("[data-item]:focus-within") : null;
  (row ?? document).querySelector<HTMLElement>(`[aria-keyshortcuts="${shortcut}"]`)?.click();
}

function isText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea:not([readonly]), select")
  );
}
