const names: ReadonlyMap<string, string> = new Map([
  ["login", "Login"],
  ["secure_note", "Secure note"],
  ["card", "Card"],
  ["identity", "Identity"],
  ["ssh_key", "SSH key"],
  ["api_key", "API key"],
  ["file", "Small file"],
]);

/** The kinds of items that a person can add, in the order in which they are offered. */
export const newKinds: readonly string[] = [...names.keys()];

/** Returns the name of a kind of item. A kind is an open string: an unknown one is shown by its own name. */
export function nameOfKind(kind: string): string {
  return names.get(kind) ?? capitalized(kind.replaceAll("_", " "));
}

/** Returns the name of a kind inside of a sentence: "login", but "SSH key". */
export function kindInSentence(kind: string): string {
  const name = nameOfKind(kind);
  return /^[A-Z]{2}/.test(name) ? name : name.charAt(0).toLowerCase() + name.slice(1);
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
