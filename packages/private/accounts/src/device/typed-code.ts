/**
 * Formats what a person typed or pasted as a user code: capitals in groups of four. It drops everything that is not a letter, and
 * everything after the eighth letter, so that a page never shows more of an input than a code contains.
 */
export function formatTypedCode(typed: string): string {
  const letters = typed
    .toUpperCase()
    .replace(/[^A-Z]/g, "")
    .slice(0, 8);
  return letters.length > 4 ? `${letters.slice(0, 4)}-${letters.slice(4)}` : letters;
}

/** Returns the path of the page with a code in its field. */
export function pathOfCode(typed: string): string {
  return `/device?${new URLSearchParams({ user_code: formatTypedCode(typed) })}`;
}
