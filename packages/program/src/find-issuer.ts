import * as z from "zod";
import { ProgramError } from "./program-error.js";
import { request } from "./request.js";

const metadata = z.object({ authorization_servers: z.array(z.url()).min(1) });

/**
 * Returns the authorization server of an API, from the metadata that the API publishes.
 *
 * @throws ProgramError if the API cannot be reached or publishes none.
 * @see RFC 9728 section 3
 */
export async function findIssuer(apiUrl: string, signal?: AbortSignal): Promise<string> {
  const { origin, pathname } = new URL(apiUrl);
  const url = `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/+$/, "")}`;
  const answer = await request(url, signal);
  const parsed = metadata.safeParse(await answer.json().catch(() => undefined));
  const [issuer] = parsed.data?.authorization_servers ?? [];
  if (issuer === undefined) {
    throw new ProgramError(
      `${url} does not name an authorization server (HTTP ${answer.status}). Check the URL of the API.`,
    );
  }
  return issuer;
}
