import { hash } from "node:crypto";
import type { Call, RecordPut } from "@platform-rpc/server";
import * as z from "zod";
import type { AccountsParts } from "../accounts-parts.js";
import type { AuthorizationRequest, Redirection } from "../oauth/authorization-request.js";
import type { Session } from "../sessions/session.js";

const collection = "approval";

/** How long an approval can be remembered, in milliseconds: as long as its refresh tokens can live. */
const lifeMs = 30 * 24 * 60 * 60_000;
/** Of how many codes an approval remembers the grants. */
const mostGrants = 16;

const value = z.object({
  scopes: z.array(z.string()),
  /** The grants of its codes, the newest last. The approval lives while one of them does. */
  grantIds: z.array(z.string()),
});

/** A request of a client, and where its answer goes. */
export interface ApprovableRequest extends AuthorizationRequest, Redirection {
  readonly oauthClientId: string;
}

/** What a person has allowed a client before. */
export interface Approval extends z.infer<typeof value> {
  /** The revision of its record; 0 if there is none. */
  readonly revision: number;
}

/** The approvals of people: each is for one client, one registered redirect URI, and one resource. */
export interface Approvals {
  /** Returns what the person has approved; without scopes if that has ended, or they have approved nothing. */
  find(person: Session, request: ApprovableRequest, call: Call): Promise<Approval>;
  /**
   * Approves scopes, and issues a code for them. Resolves with undefined, and changes nothing, if the approval or the pushed request has
   * changed since it was read.
   *
   * @param taking the write that uses up a pushed request. Undefined: the request was not pushed.
   */
  approve(
    person: Session,
    request: ApprovableRequest,
    decision: { readonly before: Approval; readonly scopes: readonly string[]; readonly taking: RecordPut | undefined },
    call: Call,
  ): Promise<string | undefined>;
}

/**
 * Creates the approvals. One ends when all of its tokens have: when the person ends the access, the client signs out, or 30 days have
 * passed.
 */
export function createApprovals({
  own,
  clock,
  platform,
}: Pick<AccountsParts, "own" | "clock" | "platform">): Approvals {
  const lives = async (grantIds: readonly string[], person: Session): Promise<boolean> => {
    const [families, grants] = await Promise.all([own.listRefreshFamilies(person), own.listGrants(person)]);
    const live = new Set([...families.map(({ familyId }) => familyId), ...grants.map(({ grantId }) => grantId)]);
    return grantIds.some((grantId) => live.has(grantId));
  };

  return {
    async find(person, request, call) {
      const record = await own.getRecord({ collection, key: keyOf(person, request) }, call);
      const none = { scopes: [], grantIds: [], revision: record?.revision ?? 0 };
      if (record === undefined) return none;
      const { scopes, grantIds } = value.parse(JSON.parse(record.value));
      return (await lives(grantIds, person)) ? { scopes, grantIds, revision: record.revision } : none;
    },

    approve(person, request, { before, scopes, taking }, call) {
      const { tenantId, principalId } = person;
      const { oauthClientId, redirectUri, codeChallenge, target, popKeyId, refreshable } = request;
      const grantId = platform.secrets.newId();
      const createdAt = clock.now();
      const remembered: z.infer<typeof value> = {
        scopes: [...new Set([...before.scopes, ...scopes])].sort(),
        grantIds: [...before.grantIds, grantId].slice(-mostGrants),
      };
      const record = {
        collection,
        key: keyOf(person, request),
        tenantId,
        principalId,
        oauthClientId,
        value: JSON.stringify(remembered),
        createdAt,
        expiresAt: createdAt + lifeMs,
      };
      const remembering = { record, expectedRevision: before.revision };
      const puts = taking === undefined ? [remembering] : [remembering, taking];
      const approved = { tenantId, principalId, oauthClientId, redirectUri, codeChallenge, popKeyId, refreshable };
      return own.issueAuthorizationCode({ ...approved, scopes, resource: target, grantId, puts }, call);
    },
  };
}

function keyOf({ tenantId, principalId }: Session, { oauthClientId, registered, target }: ApprovableRequest): string {
  return hash("sha256", JSON.stringify([tenantId, principalId, oauthClientId, registered, target]), "base64url");
}
