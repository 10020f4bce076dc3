/** Returns the number of items in words, such as "1 item" or "10,000 items". */
export function countOf({ length }: { readonly length: number }): string {
  return `${length.toLocaleString("en")} ${length === 1 ? "item" : "items"}`;
}
