const storedAs = "console: keyboard shortcuts";

/**
 * Returns whether single keys are shortcuts in this browser. People who speak to their computer need to turn them off.
 *
 * @see https://www.w3.org/TR/WCAG22/#character-key-shortcuts
 */
export function areShortcutsOn(): boolean {
  return localStorage.getItem(storedAs) !== "off";
}

/** Turns the shortcuts of this browser on or off. */
export function turnShortcuts(on: boolean): void {
  localStorage.setItem(storedAs, on ? "on" : "off");
}
