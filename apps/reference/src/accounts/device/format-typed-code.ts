/**
 * Formats what a person typed or pasted as a user code: capitals in groups of four. Everything that is no letter is dropped, and so
 * is everything after the eighth letter: a page never shows more of an input than a code can have.
 */
export function formatTypedCode(typed: string): string {
  const letters = typed
    .toUpperCase()
    .replace(/[^A-Z]/g, "")
    .slice(0, 8);
  return letters.length > 4 ? `${letters.slice(0, 4)}-${letters.slice(4)}` : letters;
}
