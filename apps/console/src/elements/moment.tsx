const format = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** Returns a time in the time zone of the browser, such as `Nov 22, 2026, 1:50 PM`. @param at in ISO 8601 */
export function momentInWords(at: string): string {
  return format.format(new Date(at));
}

/** Shows a time in the time zone of the browser, such as `Nov 22, 2026, 1:50 PM`. @param at in ISO 8601 */
export function Moment({ at }: { readonly at: string }) {
  return <time dateTime={at}>{momentInWords(at)}</time>;
}
