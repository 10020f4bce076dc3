import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Call } from "@platform-rpc/server";
import { publicOperations, type RegisteredOauthClient } from "@platform-rpc/server/host";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { callerContract } from "../contract/private-contract.js";
import type { AccountsParts } from "../http/environment.js";
import { DocumentError, mostLookups } from "./document-error.js";
import { fetchDocument } from "./fetch-document.js";
import { readScope } from "./grants.js";
import { type ReadDocument, readDocument } from "./read-document.js";

/**
 * Whether a client that no person has approved is stored. Anybody can write metadata documents: `nothing` only returns it, `while it waits`
 * stores it until the codes of a device expire, and `approved` keeps it, because a person approves it now.
 */
export type Stores = "nothing" | "while it waits" | "approved";

const idPrefix = "cimd-";

/** Returns the id of the OAuth client whose metadata document has this URL. */
export function documentedClientId(url: string): string {
  return `${idPrefix}${createHash("sha256").update(url).digest("base64url")}`;
}

export function isDocumentedClientId(oauthClientId: string): boolean {
  return oauthClientId.startsWith(idPrefix);
}

/** The shortest and the longest time that a document is kept, in milliseconds. That it cannot be read is kept for the shortest. */
const [shortest, longest] = [60_000, 24 * 60 * 60_000];
const mostDocuments = 1000;

/** What is known of a document: what it says, or its problem. */
interface Known {
  readonly found: ReadDocument | DocumentError;
  readonly until: number;
}

/**
 * The public operations, and all that only read items: a client that names no scope asks to read. Only the platform's own programs may ask
 * for the keys of vaults.
 */
const allowedOperations = [...callerContract.operations.values()]
  .filter(
    ({ operation, method, requiredScopes }) =>
      publicOperations.has(operation) ||
      (method.parent.typeName === MemberVaultService.typeName && requiredScopes.every((scope) => scope === readScope)),
  )
  .map(({ operation }) => operation);

/**
 * Creates a function that registers OAuth clients by their metadata documents (draft-ietf-oauth-client-id-metadata-document, as in the
 * authorization specification of MCP). Their id is derived from the URL, and their name begins with its host. They may call the public
 * operations, and those that only read. A changed document changes their name, redirect URIs and grants. If an administrator disables
 * such a client, or narrows its allowlist, no document changes that.
 *
 * At most 4 documents are fetched for a network at a time, so that one network with slow servers leaves the others what they need.
 */
export function createClientDocuments({
  own,
  tenantId,
  clock,
  logger,
  fetchDocument: fetch = fetchDocument,
}: Pick<AccountsParts, "own" | "tenantId" | "clock" | "logger"> & {
  readonly fetchDocument?: typeof fetchDocument;
}) {
  const known = new Map<string, Known>();
  const running = new Map<string, Promise<Known>>();
  const lookups = new Map<string, number>();

  async function look(url: string, call: Call): Promise<Known> {
    const { requestId } = call.actor;
    const subject = { requestId, oauthClientId: documentedClientId(url), host: new URL(url).host };
    try {
      const { text, cacheControl } = await fetch(url);
      const found = readDocument(url, text);
      const { leftOut } = found;
      if (leftOut.length > 0) logger.info({ ...subject, leftOut }, "client metadata document read in part");
      return { found, until: clock.now() + lifeOf(cacheControl) };
    } catch (thrown) {
      if (!(thrown instanceof DocumentError)) throw thrown;
      const { problem, detail } = thrown;
      logger.info({ ...subject, problem, detail }, "client metadata document not read");
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

  async function find(url: string, network: string, call: Call): Promise<ReadDocument | DocumentError> {
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

  /**
   * Registers the OAuth client of a document, unless an administrator has disabled it. Returns the problem of the document, or what was left
   * out of it, and the client, if no person has approved it and it was not stored.
   */
  return async (
    url: string,
    { network, stores }: { readonly network: string; readonly stores: Stores },
    call: Call,
  ): Promise<
    DocumentError | (Pick<ReadDocument, "leftOut"> & { readonly unregistered: RegisteredOauthClient | undefined })
  > => {
    const found = await find(url, network, call);
    if (found instanceof DocumentError) return found;
    const { described, leftOut } = found;
    const oauthClientId = documentedClientId(url);
    const registered = await own.getOauthClient({ tenantId, oauthClientId });
    // Decided again in the transaction. Most calls change nothing, and need none.
    const unchanged = isDeepStrictEqual({ ...registered, ...described }, registered);
    const isKept = registered !== undefined && registered.unapprovedUntil === undefined;
    if (registered?.enabled === false || (isKept && unchanged)) return { unregistered: undefined, leftOut };
    const registration = { ...described, tenantId, oauthClientId, allowedOperations };
    const registeredBy = "client-metadata-document";
    if (!isKept && stores === "nothing") {
      const registeredAt = registered?.registeredAt ?? clock.now();
      return { unregistered: { ...registration, enabled: true, registeredAt, registeredBy }, leftOut };
    }
    const approved = isKept || stores === "approved";
    const caller = { ...call, actor: { ...call.actor, principalId: registeredBy } };
    const stored = await own.registerOauthClient({ ...registration, approved }, caller);
    return stored ? { unregistered: undefined, leftOut } : new DocumentError("TOO_MANY_UNAPPROVED");
  };
}

/** Returns how long a document is kept, in milliseconds. */
function lifeOf(cacheControl: string): number {
  const seconds = /(?:^|[,\s])max-age=([0-9]{1,9})(?:$|[,\s])/i.exec(cacheControl)?.[1];
  if (seconds === undefined || /no-(?:store|cache)/i.test(cacheControl)) return shortest;
  return Math.min(longest, Math.max(shortest, Number(seconds) * 1000));
}
