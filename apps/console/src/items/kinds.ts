import type { IconName } from "../elements/icon.js";

interface Kind {
  readonly name: string;
  readonly icon: IconName;
}

const kinds: Readonly<Record<string, Kind>> = {
  login: { name: "Login", icon: "login" },
  secure_note: { name: "Secure note", icon: "secure_note" },
  card: { name: "Card", icon: "card" },
  identity: { name: "Identity", icon: "identity" },
  ssh_key: { name: "SSH key", icon: "ssh_key" },
  api_key: { name: "API key", icon: "api_key" },
  file: { name: "File", icon: "file" },
};

/** The kinds of items that a person can add, in the order in which they are offered. */
export const newKinds: readonly string[] = Object.keys(kinds);

/** Returns the name of a kind of item, and its icon. A kind is an open string: an unknown one is shown by its own name. */
export function kindOf(kind: string): Kind {
  if (Object.hasOwn(kinds, kind)) return kinds[kind] ?? unknown(kind);
  return unknown(kind);
}

/** Returns the name of a kind inside of a sentence: "login", but "SSH key". */
export function kindInSentence(kind: string): string {
  const { name } = kindOf(kind);
  return /^[A-Z]{2}/.test(name) ? name : name.charAt(0).toLowerCase() + name.slice(1);
}

function unknown(kind: string): Kind {
  const words = kind.replaceAll("_", " ");
  return { name: words.charAt(0).toUpperCase() + words.slice(1), icon: "other" };
}
