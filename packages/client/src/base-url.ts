/**
 * The base URL without a slash at its end; a path prefix is kept.
 *
 * @throws TypeError when it is no http or https URL, or holds credentials, a query or a fragment. The message does not
 * repeat it.
 */
export function parseBaseUrl(baseUrl: string): string {
  if (!/^https?:\/\/[^\s/?#@]+(\/[^?#]*)?$/i.test(baseUrl)) {
    throw new TypeError("baseUrl must be an http or https URL without credentials, query or fragment");
  }
  return new URL(baseUrl).href.replace(/\/+$/, "");
}
