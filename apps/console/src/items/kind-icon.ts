import type { IconName } from "../elements/icon.js";
import type { ItemRow } from "./item-rows.js";

const icons: readonly IconName[] = ["login", "secure_note", "card", "identity", "ssh_key", "api_key", "file"];

/** Returns the icon of a kind of item: those that a person can add have one each. */
export function iconOfKind(kind: string): IconName {
  return icons.find((icon) => icon === kind) ?? "other";
}

/** The colours of monograms, in degrees. */
const hues = [250, 20, 60, 110, 155, 205, 295, 340];

/** Returns the first letter of the title of a login, and its colour: always the same for the same title. Nothing is asked of a website. */
export function monogramOf({
  item,
  content,
  title,
}: ItemRow): { readonly letter: string; readonly hue: number } | undefined {
  const letter = item.kind === "login" && content?.fields !== undefined ? /[\p{L}\p{N}]/u.exec(title)?.[0] : undefined;
  if (letter === undefined) return undefined;
  let sum = 0;
  for (const character of title) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997;
  return { letter: letter.toUpperCase(), hue: hues[sum % hues.length] ?? 0 };
}
