import type { IconName } from "../elements/icon.js";

const icons: readonly IconName[] = ["login", "secure_note", "card", "identity", "ssh_key", "api_key", "file"];

/** Returns the icon of a kind of item: those that a person can add have one each. */
export function iconOfKind(kind: string): IconName {
  return icons.find((icon) => icon === kind) ?? "other";
}
