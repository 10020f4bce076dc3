import { createHash } from "node:crypto";
import { type Call, publicOperations } from "@platform-rpc/server";
import * as z from "zod";
import type { OAuthParts } from "../oauth-parts.js";
import { type FetchedDocument, fetchDocument } from "./fetch-document.js";

/** Registers the OAuth client of a client metadata document, unless an administrator has disabled it or the document is not valid. */
export type RegisterByDocument = (url: string, call: Call) => Promise<void>;

/** Returns the id of the OAuth client whose metadata document has this URL. */
export function documentedClientId(url: string): string {
  return `cimd-${createHash("sha256").update(url).digest("base64url")}`;
}

/** The shortest and the longest time that a document is kept, in milliseconds. */
const [shortest, longest] = [60_000, 24 * 60 * 60_000];
const mostDocuments = 1000;

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const documentSchema = z.looseObject({
  client_id: z.string(),
  client_name: z.string().regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,64}$/u),
  grant_types: z.array(z.string()).optional(),
  token_endpoint_auth_method: z.literal("none").optional(),
  client_secret: z.undefined().optional(),
});

/**
 * Creates a function that registers OAuth clients by their metadata documents (draft-ietf-oauth-client-id-metadata-document, as in the
 * authorization specification of MCP). Their id is derived from the URL, and their name begins with its host, which nobody else can
 * have. They may call the public operations. If an administrator disables such a client, or narrows its allowlist, no document changes
 * that.
 */
export function createClientDocuments(
  { own, tenantId, clock }: Pick<OAuthParts, "own" | "tenantId" | "clock">,
  fetch: (url: string) => Promise<FetchedDocument> = fetchDocument,
): RegisterByDocument {
  const known = new Map<string, { readonly name: string | undefined; readonly until: number }>();

  async function nameOf(url: string): Promise<string | undefined> {
    const now = clock.now();
    const cached = known.get(url);
    if (cached !== undefined && now < cached.until) return cached.name;
    // A document that cannot be read is not fetched again for a minute.
    const document = await fetch(url).catch(() => undefined);
    const name = document === undefined ? undefined : readName(url, document.text);
    known.delete(url);
    known.set(url, { name, until: now + (name === undefined ? shortest : lifeOf(document?.cacheControl ?? "")) });
    const [oldest] = known.size > mostDocuments ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
    return name;
  }

  return async (url, call) => {
    const name = await nameOf(url);
    if (name === undefined) return;
    const oauthClientId = documentedClientId(url);
    const registered = await own.getOauthClient({ tenantId, oauthClientId });
    // Decided again in the transaction. Most calls change nothing, and need none.
    if (registered?.enabled === false || registered?.name === name) return;
    const client = { tenantId, oauthClientId, name, allowedOperations: [...publicOperations.keys()] };
    await own.registerOauthClient(client, {
      ...call,
      actor: { ...call.actor, principalId: "client-metadata-document" },
    });
  };
}

/** Returns the name that people see; undefined if the document is not valid for this URL. */
function readName(url: string, text: string): string | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data } = documentSchema.safeParse(json);
  if (data === undefined || data.client_id !== url || data.grant_types?.includes(deviceGrant) === false)
    return undefined;
  return `${new URL(url).hostname}: ${data.client_name}`;
}

/** Returns how long a document is kept, in milliseconds. */
function lifeOf(cacheControl: string): number {
  const seconds = /(?:^|[,\s])max-age=([0-9]{1,9})(?:$|[,\s])/i.exec(cacheControl)?.[1];
  if (seconds === undefined || /no-(?:store|cache)/i.test(cacheControl)) return shortest;
  return Math.min(longest, Math.max(shortest, Number(seconds) * 1000));
}
