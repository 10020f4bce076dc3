/** Returns a text without accents and in one case, so that what people would call the same is equal. */
export function fold(text: string): string {
  // Not in lower case: a sigma has two of them.
  return text
    .normalize("NFKD")
    .replaceAll(/\p{Diacritic}/gu, "")
    .toUpperCase();
}

export function wordsOf(search: string): readonly string[] {
  return fold(search)
    .split(/\s+/)
    .filter((word) => word !== "");
}
