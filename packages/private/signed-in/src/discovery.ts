import { printable } from "@platform-rpc/client";
import * as z from "zod";
import { ProgramError } from "./errors.js";

const metadata = z.object({
  resource: z.string().default("(none)"),
  authorization_servers: z.tuple([z.string()], z.string()),
});

/**
 * Returns the authorization server of an API, from the metadata that the API publishes.
 *
 * The metadata must be that of the API itself (RFC 9728 section 3.3). Otherwise an API could publish that of another one, and get
 * tokens that work there.
 *
 * @throws ProgramError if the API cannot be reached, publishes none, or that of another API.
 * @see RFC 9728 section 3
 */
export async function findIssuer(apiUrl: string, signal?: AbortSignal): Promise<string> {
  const { origin, pathname } = new URL(apiUrl);
  const url = `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/+$/, "")}`;
  const { status, text } = await request(url, signal);
  const found = metadata.safeParse(parseJson(text)).data;
  if (found === undefined) {
    throw new ProgramError(`${url} does not name an authorization server (HTTP ${status}). Check the URL of the API.`);
  }
  const { resource, authorization_servers: servers } = found;
  if (parseUrl(resource) !== apiUrl) {
    throw new ProgramError(
      `${url} describes another API: ${shown(resource)}. You gave ${apiUrl}.\nNothing was sent to an authorization server. Ask the operator of the API for its URL, and give exactly that.`,
    );
  }
  const issuer = parseUrl(servers[0]);
  if (issuer !== undefined) return issuer;
  throw new ProgramError(
    `${url} names the authorization server ${shown(servers[0])}. It must be ${acceptedUrl}. Ask the operator of the API.`,
  );
}

const serverMetadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  jwks_uri: z.string().optional(),
  broker_audience: z.string().optional(),
});

/** Reads what an authorization server publishes. `found` is undefined unless it is that of this server (RFC 8414 section 3.3). */
async function readServer(issuer: string, signal: AbortSignal | undefined) {
  const { origin, pathname } = new URL(issuer);
  const url = `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/+$/, "")}`;
  const { status, text } = await request(url, signal);
  const { data } = serverMetadata.safeParse(parseJson(text));
  return { url, status, found: data?.issuer === issuer ? data : undefined };
}

/**
 * Returns what a broker verifies tokens with: the URL of the keys, and the only accepted audience.
 *
 * @throws ProgramError if the server cannot be reached, or does not publish them.
 */
export async function findBrokerTokens(issuer: string, signal?: AbortSignal) {
  const { url, status, found } = await readServer(issuer, signal);
  const keys = parseUrl(found?.jwks_uri);
  const audience = found?.broker_audience;
  if (keys === undefined || audience === undefined) {
    throw new ProgramError(
      `${url} names no keys and audience of brokers (HTTP ${status}). Ask the operator to update it.`,
    );
  }
  return { keys: new URL(keys), audience };
}

/**
 * Returns the origin of the pages of an authorization server: that of its authorization endpoint. On a machine without TLS it is not the
 * issuer, and only browsers can connect to it.
 *
 * @throws ProgramError if the server cannot be reached, or names no page that a browser may open.
 * @see RFC 8414 section 3
 */
export async function findPages(issuer: string, signal?: AbortSignal): Promise<string> {
  const { url, status, found } = await readServer(issuer, signal);
  const page = parseUrl(found?.authorization_endpoint, loopbackOfPages);
  if (page !== undefined) return new URL(page).origin;
  // RFC 9110 section 15.5.20: a server that had this name when the person signed in.
  if (status === 421) {
    throw new ProgramError(`${issuer} is not the name of the authorization server any more (HTTP 421). Log in again.`);
  }
  throw new ProgramError(
    `${url} does not name a page of ${issuer} with https (HTTP ${status}). Open none. Ask the operator of the API.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shown(text: string): string {
  return printable(text.slice(0, 200));
}

/** The name of this machine, in a URL. */
const loopback = /^(?:localhost|127(?:\.[0-9]+){3}|\[::1\])$/;
/** Also the names below `localhost`: browsers connect them to this machine, but programs may look them up (RFC 6761 section 6.3). */
const loopbackOfPages = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.[0-9]+){3}|\[::1\])$/;

/** What `parseUrl` accepts, for messages. */
export const acceptedUrl =
  "an https URL without credentials, query or fragment. Plain http is only for localhost, 127.0.0.1 and [::1]";

/**
 * Returns an https URL, or one of this machine with plain http, without slashes at its end; undefined for anything else. Rejects
 * credentials: the programs print the URL, and store it in a file that other users can read.
 */
export function parseUrl(text: string | undefined, onThisMachine = loopback): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  if (text === undefined || url === null || !/^https?:\/\/[^?#\s]+$/i.test(text)) return undefined;
  const isSecure = url.protocol === "https:" || onThisMachine.test(url.hostname);
  return isSecure && url.username + url.password === "" ? url.href.replace(/\/+$/, "") : undefined;
}

const timeoutMs = 15_000;

/** The largest body that is read, in bytes. */
const largestBody = 64 * 1024;

export interface Answer extends Pick<Response, "ok" | "status" | "headers"> {
  /** Empty when it is larger than 64 KiB. */
  readonly text: string;
}

/** Makes a GET request. Does not follow redirects. @throws ProgramError if there is no response. */
export async function request(url: string, signal?: AbortSignal): Promise<Answer> {
  const signals = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
  const headers = { Accept: "application/json" };
  try {
    const response = await fetch(url, { headers, redirect: "manual", signal: AbortSignal.any(signals) });
    return { ok: response.ok, status: response.status, headers: response.headers, text: await readText(response) };
  } catch (error) {
    const text = `${new URL(url).origin} cannot be reached (${causeOf(error)}). Check the URL and the network.`;
    throw new ProgramError(text, "unreachable");
  }
}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > largestBody) return "";
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Returns the code of an error of `fetch`, such as `ECONNREFUSED`. */
function causeOf(error: unknown): string {
  const { name, cause }: { readonly name?: unknown; readonly cause?: unknown } = Object(error);
  const { code }: { readonly code?: unknown } = Object(cause);
  if (typeof code === "string") return code;
  return name === "TimeoutError" ? `no response within ${timeoutMs / 1000} s` : "no response";
}
