/** For how long a copied value is in the clipboard, in milliseconds. */
const keptMs = 30_000;

/** The clipboard, and whether the page may use it now. */
export interface ClipboardOfPage {
  readText(): Promise<string>;
  writeText(text: string): Promise<void>;
  /** Resolves when the page has the focus: another page may not use the clipboard. */
  focused(): Promise<void>;
}

/** Creates a function that copies a value, and removes it after 30 s if the clipboard still contains it. */
export function createCopier(clipboard: ClipboardOfPage): (value: string) => Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  async function clear(value: string): Promise<void> {
    await clipboard.focused();
    // A browser that does not allow reading says nothing of what is in it: that may be something else.
    const held = await clipboard.readText().catch(() => undefined);
    if (held === value) await clipboard.writeText("").catch(() => {});
  }
  return async (value) => {
    await clipboard.writeText(value);
    clearTimeout(timer);
    timer = setTimeout(() => void clear(value), keptMs);
  };
}

/** Copies a value, and removes it after 30 s if the clipboard still contains it. */
export const copyForAWhile = createCopier({
  readText: () => navigator.clipboard.readText(),
  writeText: (text) => navigator.clipboard.writeText(text),
  async focused() {
    if (document.hasFocus()) return;
    await new Promise((resolve) => addEventListener("focus", resolve, { once: true }));
  },
});
