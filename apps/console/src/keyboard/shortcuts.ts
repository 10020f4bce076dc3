/** The keys of the console, and what each does. */
export const shortcuts = {
  "/": "Search",
  d: "Show or hide deleted items",
  p: "Pause or resume the live feed",
  u: "Undo the last deletion",
  x: "Select or deselect the focused item",
  X: "Select all items up to the focused one",
  i: "Show or hide the request inspector",
  "?": "Show this help",
} as const;

export type Shortcut = keyof typeof shortcuts;

/** What a shortcut depends on of a key event. */
export interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
  readonly defaultPrevented: boolean;
  /** Whether the person types text, or a dialog is open. */
  readonly elsewhere: boolean;
}

/** Returns the shortcut of a key; undefined if the key is for something else. */
export function shortcutOf({
  key,
  ctrlKey,
  altKey,
  metaKey,
  defaultPrevented,
  elsewhere,
}: PressedKey): Shortcut | undefined {
  if (ctrlKey || altKey || metaKey || defaultPrevented || elsewhere) return undefined;
  return isShortcut(key) ? key : undefined;
}

function isShortcut(key: string): key is Shortcut {
  return Object.hasOwn(shortcuts, key);
}
