import { createHash } from "node:crypto";
import { type Call, publicOperations } from "@platform-rpc/server";
import * as z from "zod";
import type { OAuthParts } from "../oauth-parts.js";
import { DocumentError, mostLookups } from "./document-error.js";
import { fetchDocument } from "./fetch-document.js";

/**
 * Registers the OAuth client of a client metadata document, unless an administrator has disabled it.
 *
 * @returns the problem of the document; undefined if the document is valid.
 */
export type RegisterByDocument = (url: string, network: string, call: Call) => Promise<DocumentError | undefined>;

/** Returns the id of the OAuth client whose metadata document has this URL. */
export function documentedClientId(url: string): string {
  return `cimd-${createHash("sha256").update(url).digest("base64url")}`;
}

/** The shortest and the longest time that a document is kept, in milliseconds. That it cannot be read is kept for the shortest. */
const [shortest, longest] = [60_000, 24 * 60 * 60_000];
const mostDocuments = 1000;

/** What is known of a document: the name that people see, or its problem. */
interface Known {
  readonly found: string | DocumentError;
  readonly until: number;
}

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const documentSchema = z.looseObject({
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
 *
 * At most 4 documents are fetched for a network at a time, so that one network with slow servers leaves the others what they need.
 */
export function createClientDocuments({
  own,
  tenantId,
  clock,
  logger,
  fetchDocument: fetch = fetchDocument,
}: Pick<OAuthParts, "own" | "tenantId" | "clock" | "logger" | "fetchDocument">): RegisterByDocument {
  const known = new Map<string, Known>();
  const running = new Map<string, Promise<Known>>();
  const lookups = new Map<string, number>();

  async function look(url: string, call: Call): Promise<Known> {
    try {
      const { text, cacheControl } = await fetch(url);
      return { found: readName(url, text), until: clock.now() + lifeOf(cacheControl) };
    } catch (thrown) {
      if (!(thrown instanceof DocumentError)) throw thrown;
      const { requestId } = call.actor;
      const { hostname: host } = new URL(url);
      const { problem, detail } = thrown;
      logger.info(
        { requestId, oauthClientId: documentedClientId(url), host, problem, detail },
        "client metadata document not read",
      );
      return { found: thrown, until: clock.now() + shortest };
    }
  }

  /** Looks a document up, for all who want it at the same time. */
  function lookUp(url: string, network: string, call: Call): Promise<Known> {
    const lookup = look(url, call).finally(() => {
      running.delete(url);
      const others = (lookups.get(network) ?? 1) - 1;
      if (others === 0) lookups.delete(network);
      else lookups.set(network, others);
    });
    running.set(url, lookup);
    lookups.set(network, (lookups.get(network) ?? 0) + 1);
    return lookup;
  }

  async function find(url: string, network: string, call: Call): Promise<string | DocumentError> {
    const cached = known.get(url);
    if (cached !== undefined && clock.now() < cached.until) return cached.found;
    const already = running.get(url);
    if (already !== undefined) return (await already).found;
    if ((lookups.get(network) ?? 0) >= mostLookups) return new DocumentError("TOO_MANY_LOOKUPS");
    const looked = await lookUp(url, network, call);
    known.delete(url);
    known.set(url, looked);
    const [oldest] = known.size > mostDocuments ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
    return looked.found;
  }

  return async (url, network, call) => {
    const name = await find(url, network, call);
    if (name instanceof DocumentError) return name;
    const oauthClientId = documentedClientId(url);
    const registered = await own.getOauthClient({ tenantId, oauthClientId });
    // Decided again in the transaction. Most calls change nothing, and need none.
    if (registered?.enabled === false || registered?.name === name) return undefined;
    const client = { tenantId, oauthClientId, name, allowedOperations: [...publicOperations.keys()] };
    // No redirect URI of a document is read: its client uses the device grant.
    const registration = { ...client, redirectUris: [], grantTypes: [], requirePushedAuthorizationRequests: false };
    await own.registerOauthClient(registration, {
      ...call,
      actor: { ...call.actor, principalId: "client-metadata-document" },
    });
    return undefined;
  };
}

/** Returns the name that people see. @throws DocumentError if the document is not valid for this URL. */
function readName(url: string, text: string): string {
  const json = readJson(text);
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new DocumentError("NOT_JSON");
  if (!("client_id" in json) || json.client_id !== url) throw new DocumentError("WRONG_CLIENT_ID");
  const { data } = documentSchema.safeParse(json);
  if (data === undefined || data.grant_types?.includes(deviceGrant) === false) {
    throw new DocumentError("INVALID_METADATA");
  }
  return `${new URL(url).hostname}: ${data.client_name}`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns how long a document is kept, in milliseconds. */
function lifeOf(cacheControl: string): number {
  const seconds = /(?:^|[,\s])max-age=([0-9]{1,9})(?:$|[,\s])/i.exec(cacheControl)?.[1];
  if (seconds === undefined || /no-(?:store|cache)/i.test(cacheControl)) return shortest;
  return Math.min(longest, Math.max(shortest, Number(seconds) * 1000));
}
