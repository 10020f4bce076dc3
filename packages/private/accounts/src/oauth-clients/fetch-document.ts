import { request } from "node:https";
import type { LookupFunction } from "node:net";
import {
  type HostAddress,
  isPublicAddress,
  type NameServerOptions,
  ResolveError,
  resolveHost,
} from "@platform-rpc/front/resolve-host";
import { DocumentError, largestBytes, longestMs } from "./document-error.js";

export interface FetchedDocument {
  readonly text: string;
  /** The Cache-Control header; empty without one. */
  readonly cacheControl: string;
}

/** What a test replaces. */
export interface FetchDocumentOptions extends NameServerOptions {
  /** Default: whether the address belongs to the public internet. */
  readonly isAllowed?: (address: string) => boolean;
  /** The certificate authorities. Default: those of Node. */
  readonly ca?: string;
  /** The port. Default: that of the URL. */
  readonly port?: number;
  /** Aborted when the time for everything is over. Default: after 2 s. */
  readonly timeLimit?: AbortSignal | undefined;
}

/** Returns whether a URL may be the id of a client: https, a host name with a dot, and a path. It may have a port and a query. */
export function isClientUrl(text: string): boolean {
  const url = URL.parse(text);
  // The URL parser leaves out the default port, and corrects everything else that is not in its normal form, such as dot segments.
  if (url === null || url.href !== text.replace(/^(https:\/\/[^/]+):443\//, "$1/") || text.length > 512) return false;
  const { protocol, hostname, username, password, pathname } = url;
  const plain = username + password === "" && !text.includes("#");
  return protocol === "https:" && plain && pathname !== "/" && /^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/.test(hostname);
}

/**
 * Fetches a document of another server, so that nobody can reach this server's own network with it: https only, no redirects, and
 * only hosts of which every address is public. The connection uses the addresses that were checked.
 *
 * @throws DocumentError after 2 s, above 10 kB, and for any answer that is not 200 with JSON.
 */
export async function fetchDocument(url: string, options: FetchDocumentOptions = {}): Promise<FetchedDocument> {
  const { isAllowed = isPublicAddress, timeLimit: signal = AbortSignal.timeout(longestMs) } = options;
  if (!isClientUrl(url)) throw new TypeError("the URL of the document is not allowed");
  const addresses = await resolveHost(new URL(url).hostname, signal, options).catch((error: unknown) => {
    if (!(error instanceof ResolveError)) throw error;
    const { problem, failure } = error;
    throw new DocumentError(problem, problem === "HOST_NOT_FOUND" ? undefined : `name server: ${failure}`);
  });
  const closed = addresses.find(({ address }) => !isAllowed(address));
  if (closed !== undefined) throw new DocumentError("PRIVATE_ADDRESS", closed.address);
  return receive(url, addresses, signal, options);
}

function receive(
  url: string,
  addresses: readonly HostAddress[],
  signal: AbortSignal,
  { ca, port }: FetchDocumentOptions,
): Promise<FetchedDocument> {
  return new Promise((fulfil, reject) => {
    const failed = (error: NodeJS.ErrnoException) =>
      reject(new DocumentError(signal.aborted ? "TIMED_OUT" : "UNREACHABLE", error.code));
    // Whatever the server does. For a request that is closed without a response, node:http reports no error.
    signal.addEventListener("abort", () => reject(new DocumentError("TIMED_OUT")), { once: true });
    const headers = { Accept: "application/json" };
    const trust = { ...(ca !== undefined && { ca }), ...(port !== undefined && { port }) };
    const lookup = lookupOf(addresses);
    const sent = request(url, { lookup, signal, headers, agent: false, ...trust }, (response) => {
      const refuse = (error: DocumentError) => {
        reject(error);
        sent.destroy();
      };
      const { statusCode, headers: received } = response;
      if (statusCode !== 200) return refuse(new DocumentError("NOT_FOUND", `status ${statusCode}`));
      const type = received["content-type"]?.replace(/;.*$/s, "").trim().toLowerCase() ?? "";
      if (!/^application\/(?:json|[a-z0-9.-]+\+json)$/.test(type)) {
        return refuse(new DocumentError("NOT_JSON", "content type"));
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.byteLength;
        if (size > largestBytes) refuse(new DocumentError("TOO_LONG"));
        else chunks.push(chunk);
      });
      response.on("error", failed);
      response.on("end", () => {
        fulfil({ text: Buffer.concat(chunks).toString("utf8"), cacheControl: received["cache-control"] ?? "" });
      });
    });
    sent.on("upgrade", (_, socket) => {
      reject(new DocumentError("NOT_FOUND", "status 101"));
      socket.destroy();
    });
    sent.on("error", failed);
    sent.end();
  });
}

/** Returns a function with which a socket finds the addresses that were checked, instead of resolving the host again. */
function lookupOf(addresses: readonly HostAddress[]): LookupFunction {
  return (_host, { all }, done) => {
    const [first] = addresses;
    if (all === true) done(null, [...addresses]);
    else done(null, first?.address ?? "", first?.family);
  };
}
