import { lookup as resolveHost } from "node:dns/promises";
import { request } from "node:https";
import type { LookupFunction } from "node:net";
import { setTimeout } from "node:timers/promises";
import { isPublicAddress } from "./public-address.js";

/** A fetched document. */
export interface FetchedDocument {
  readonly text: string;
  /** The Cache-Control header; empty without one. */
  readonly cacheControl: string;
}

/** What a test replaces. */
export interface FetchDocumentOptions {
  /** Resolves a host to its addresses. Default: the resolver of this machine. */
  readonly resolve?: (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;
  /** Default: whether the address belongs to the public internet. */
  readonly isAllowed?: (address: string) => boolean;
  /** The certificate authorities. Default: those of Node. */
  readonly ca?: string;
  /** The port. Default: 443, which is the only one that URLs may name. */
  readonly port?: number;
}

const timeoutMs = 5_000;
const largestBytes = 10 * 1024;

/** Returns whether a URL may be the id of a client: https, a host name with a dot, the default port, a path, and nothing else. */
export function isClientUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.href !== text || text.length > 512) return false;
  const { protocol, hostname, port, username, password, pathname, search, hash } = url;
  const plain = `${port}${username}${password}${search}${hash}` === "" && !text.includes("?") && !text.includes("#");
  return protocol === "https:" && plain && pathname !== "/" && /^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/.test(hostname);
}

/**
 * Fetches a document of another server, so that nobody can reach this server's own network with it: https only, no redirects, and
 * only hosts of which every address is public. The connection uses the addresses that were checked. Rejects after 5 s, above 10 kB,
 * and for any answer that is not 200 with JSON.
 */
export async function fetchDocument(url: string, options: FetchDocumentOptions = {}): Promise<FetchedDocument> {
  const { resolve = (host) => resolveHost(host, { all: true }), isAllowed = isPublicAddress, ca, port = 443 } = options;
  if (!isClientUrl(url)) throw new TypeError("the URL of the document is not allowed");
  const signal = AbortSignal.timeout(timeoutMs);
  // Without an answer of the resolver, there are no addresses.
  const addresses = await Promise.race([resolve(new URL(url).hostname), setTimeout(timeoutMs, [], { ref: false })]);
  if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) {
    throw new TypeError("an address of the document's host is not public");
  }
  const checked = addresses.map(({ address, family }) => ({ address, family }));
  const lookup: LookupFunction = (_host, { all }, done) => {
    const [first] = checked;
    if (all === true) done(null, checked);
    else done(null, first?.address ?? "", first?.family);
  };
  return new Promise((fulfil, reject) => {
    const headers = { Accept: "application/json" };
    const trust = ca === undefined ? {} : { ca };
    const sent = request(url, { lookup, signal, headers, port, agent: false, ...trust }, (response) => {
      const refuse = (why: string) => {
        reject(new TypeError(why));
        sent.destroy();
      };
      const { statusCode, headers: received } = response;
      const type = received["content-type"]?.replace(/;.*$/s, "").trim().toLowerCase() ?? "";
      if (statusCode !== 200 || !/^application\/(?:json|[a-z0-9.-]+\+json)$/.test(type)) {
        refuse("the document is not served as JSON");
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.byteLength;
        if (size > largestBytes) refuse("the document is too large");
        else chunks.push(chunk);
      });
      response.on("error", reject);
      response.on("end", () => {
        fulfil({ text: Buffer.concat(chunks).toString("utf8"), cacheControl: received["cache-control"] ?? "" });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}
