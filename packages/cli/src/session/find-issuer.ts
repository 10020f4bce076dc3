import * as z from "zod";
import { CommandError, exitCode } from "../exit-code.js";

const metadata = z.object({ authorization_servers: z.array(z.url()).min(1) });

/**
 * Returns the authorization server of an API, from the metadata that the API publishes.
 *
 * @see RFC 9728 section 3
 */
export async function findIssuer(apiUrl: string, signal: AbortSignal): Promise<string> {
  const { origin, pathname } = new URL(apiUrl);
  const url = `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/+$/, "")}`;
  const answer = await fetch(url, { signal, headers: { Accept: "application/json" } }).catch(() => undefined);
  if (answer === undefined) {
    throw new CommandError(`${origin} cannot be reached. Check the URL and the network.`, exitCode.unreachable);
  }
  const parsed = metadata.safeParse(await answer.json().catch(() => undefined));
  const [issuer] = parsed.data?.authorization_servers ?? [];
  if (issuer === undefined) {
    throw new CommandError(
      `${url} does not name an authorization server (HTTP ${answer.status}). Check the URL of the API, or set --accounts.`,
    );
  }
  return issuer;
}
