import { printable } from "@platform-rpc/client";
import * as z from "zod";
import { acceptedUrl, parseUrl } from "./parse-url.js";
import { ProgramError } from "./program-error.js";
import { request } from "./request.js";

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
