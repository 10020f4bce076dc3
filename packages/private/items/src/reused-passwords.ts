import type { ContentField, ItemContent } from "./item-content.js";

/** The items that have one password in common. */
export interface ReusedPassword {
  /** Two or more, in the order in which they were passed. */
  readonly itemIds: readonly string[];
}

/**
 * Finds the passwords that several items have in common, without the network. Those of most items come first. It compares only secrets
 * that are named as passwords: PINs and security codes are short, and equal by chance.
 */
export function reusedPasswords(contents: ReadonlyMap<string, Pick<ItemContent, "fields">>): readonly ReusedPassword[] {
  const itemsByPassword = new Map<string, Set<string>>();
  for (const [itemId, { fields }] of contents) {
    for (const value of passwordsOf(fields)) {
      const itemIds = itemsByPassword.get(value) ?? new Set();
      itemsByPassword.set(value, itemIds.add(itemId));
    }
  }
  return [...itemsByPassword.values()]
    .filter(({ size }) => size > 1)
    .sort((one, other) => other.size - one.size)
    .map((itemIds) => ({ itemIds: [...itemIds] }));
}

/** Returns the secrets that are named as passwords, except those that an item had before. */
export function passwordsOf(fields: readonly ContentField[]): readonly string[] {
  return fields.filter(isPassword).map(({ value }) => value);
}

function isPassword({ name, type, value }: ContentField): boolean {
  const isOld = /\b(?:until|old|previous|former|earlier)\b/i.test(name.replaceAll("_", " "));
  return type === "secret" && value !== "" && /pass(?:word|phrase)/i.test(name) && !isOld;
}
