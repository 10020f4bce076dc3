/** Returns the absolute URL that a caller requested, from the target of the request line. */
export type PublicUrlOf = (target: string) => string;

/**
 * Creates a function that appends the path of a request to the public URL. It ignores the Host header, `X-Forwarded-*` and the
 * host of an absolute target on purpose: the sender chooses them, and could replay a proof that was made for another server.
 *
 * @throws TypeError when the public URL is not an absolute http or https URL, or has a user, query or fragment.
 */
export function createPublicUrl(publicUrl: string | URL): PublicUrlOf {
  const { protocol, origin, pathname } = readPublicUrl(publicUrl);
  if (!/^https?:$/.test(protocol)) throw invalid(publicUrl);
  const base = `${origin}${pathname.replace(/\/+$/, "")}`;
  return (target) => `${base}${pathOf(target)}`;
}

function readPublicUrl(publicUrl: string | URL): URL {
  if (!URL.canParse(`${publicUrl}`)) throw invalid(publicUrl);
  const url = new URL(publicUrl);
  const { username, password, search, hash } = url;
  if (`${username}${password}${search}${hash}` !== "") throw invalid("a URL with a user, query or fragment");
  return url;
}

function invalid(found: string | URL): TypeError {
  return new TypeError(
    `createBrokerAuth: publicUrl is ${found}. Use the http or https URL under which callers reach this app, such as https://broker.example.com.`,
  );
}

/** A target is a path or, in a request to a proxy, an absolute URL (RFC 9112 section 3.2). */
function pathOf(target: string): string {
  if (target.startsWith("/")) return target;
  if (!URL.canParse(target)) return "/";
  const { pathname, search } = new URL(target);
  return pathname.startsWith("/") ? `${pathname}${search}` : "/";
}
