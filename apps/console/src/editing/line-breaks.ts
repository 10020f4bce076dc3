export function hasLineBreak(text: string): boolean {
  return /[\r\n]/.test(text);
}

/**
 * Returns a text as a control of the page shows it: each of its line breaks as one character, which the control does not change. The
 * other functions take places in what is shown.
 */
export function shownLines(text: string, lineBreak: string): string {
  return text.replaceAll(/\r\n|[\r\n]/g, lineBreak);
}

/** Replaces a part of a text, which is given by its place in what is shown. Everything else stays as it is, byte for byte. */
export function replaceShown(text: string, start: number, end: number, inserted: string): string {
  const shown = text.match(/\r\n|[\s\S]/g) ?? [];
  return [...shown.slice(0, start), inserted, ...shown.slice(end)].join("");
}

/** Returns a text after the person has changed what is shown of it. */
export function editShown(text: string, before: string, after: string): string {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start += 1;
  let kept = 0;
  while (kept < shortest - start && before.at(-1 - kept) === after.at(-1 - kept)) kept += 1;
  return replaceShown(text, start, before.length - kept, after.slice(start, after.length - kept));
}
