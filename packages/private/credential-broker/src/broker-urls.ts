import type { Headers } from "./headers.js";
import type { Target } from "./target.js";

/** Where an answer comes from, and how its reader reaches the same host. */
export interface Origin {
  readonly target: Pick<Target, "host" | "path" | "isLoopback">;
  /** The URL under which agents reach the broker. */
  readonly publicUrl: string;
}

/**
 * Replaces the URLs of the host that has answered, in the headers that clients follow, with those of the broker: a client that follows one
 * past the broker would send its broker token to the host, and the request would not be counted. URLs of other hosts stay.
 *
 * @param mask masks the secrets in a URL before it is encoded anew
 */
export function throughBroker(headers: Headers, origin: Origin, mask: (text: string) => string): Headers {
  const replaced = (url: string) => brokerUrlOf(mask(url), origin) ?? url;
  // RFC 8288 section 3: `<url>; rel="next", <url>; rel="last"`.
  const link = (value: string) => value.replace(/<([^<>]*)>/g, (_, url: string) => `<${replaced(url)}>`);
  const replaceIn = new Map([
    ["location", replaced],
    ["content-location", replaced],
    ["link", link],
  ]);
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, values.map(replaceIn.get(name) ?? String)]),
  );
}

/**
 * Returns the URL of the broker for a URL of the target, and a URL of another host with its scheme. Undefined: it has a user, or is right as
 * it is.
 */
function brokerUrlOf(url: string, { target, publicUrl }: Origin): string | undefined {
  const { host, path, isLoopback } = target;
  const base = new URL(`${isLoopback ? "http" : "https"}://${host}${path}`);
  // node:http reads the bytes of headers as latin1.
  const there = URL.parse(Buffer.from(url, "latin1").toString(), base.href);
  if (there === null || there.username + there.password !== "") return undefined;
  // Over plain http it would be the same host, without TLS.
  const isPlain = !isLoopback && there.protocol === "http:" && there.host === base.host;
  if (there.origin !== base.origin && !isPlain) return /^\s*[/\\]{2}/.test(url) ? there.href : undefined;
  const through = `${publicUrl}/${host}${there.pathname}${there.search}${there.hash}`;
  return URL.parse(url, `${publicUrl}/${host}${path}`)?.href === through ? undefined : through;
}
