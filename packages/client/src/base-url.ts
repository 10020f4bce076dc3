/**
 * The base URL without a slash at its end; a path prefix is kept.
 *
 * @throws TypeError when it is no http or https URL, or holds credentials, a query or a fragment. The message does not
 * repeat it.
 */
export function parseBaseUrl(baseUrl: string): string {
  const url = parse(baseUrl);
  if (url === undefined) throw new TypeError("baseUrl must be an absolute URL");
  const { protocol, username, password, origin, pathname } = url;
  if (protocol !== "https:" && protocol !== "http:") throw new TypeError("baseUrl must begin with https:// or http://");
  if (username !== "" || password !== "") throw new TypeError("baseUrl must not hold credentials");
  if (/[?#]/.test(baseUrl)) throw new TypeError("baseUrl must not have a query or fragment");
  return origin + pathname.replace(/\/+$/, "");
}

function parse(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}
