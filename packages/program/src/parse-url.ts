/** Returns an http(s) URL without slashes at its end; undefined for anything else. */
export function parseUrl(text: string | undefined): string | undefined {
  return text !== undefined && /^https?:\/\//.test(text) && URL.canParse(text) ? text.replace(/\/+$/, "") : undefined;
}
