/**
 * Returns an http(s) URL without slashes at its end; undefined for anything else. Rejects credentials: the programs print the URL,
 * and store it in a file that other users can read.
 */
export function parseUrl(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  if (text === undefined || url === null || !/^https?:\/\//.test(text)) return undefined;
  return url.username + url.password === "" && !/[?#\s]/.test(text) ? text.replace(/\/+$/, "") : undefined;
}
