/** Returns the tags in a text, in which commas and line breaks divide them. */
export function tagsIn(text: string): readonly string[] {
  return [...new Set(text.split(/[,\r\n]/).map((tag) => tag.trim()))].filter((tag) => tag !== "");
}

/** Returns whether an item with the tags `own` has all of some tags (`on`), or none of them. */
export function isTagged(own: readonly string[], tags: readonly string[], on: boolean): boolean {
  return tags.every((tag) => own.includes(tag) === on);
}
