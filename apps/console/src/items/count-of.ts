/** Returns the number of items in words, such as "1 item". */
export function countOf({ length }: { readonly length: number }): string {
  return `${length} ${length === 1 ? "item" : "items"}`;
}
