import { hash } from "node:crypto";
import { type Call, defineCollection, type FoundRecord, type Grant, type RecordPut } from "@platform-rpc/server";
import * as z from "zod";
import type { AccountsParts } from "../http/environment.js";
import type { AuthorizationRequest, Redirection } from "../oauth/authorization-request.js";
import type { Session } from "../sessions/session.js";

/** How long an approval can be remembered, in milliseconds: as long as its refresh tokens can live. */
const lifeMs = 30 * 24 * 60 * 60_000;
/** Of how many codes an approval remembers the grants. */
const mostGrants = 16;

const storedApproval = z.object({
  /** The hash of the person and the request. */
  approvalId: z.string(),
  tenantId: z.string(),
  principalId: z.string(),
  oauthClientId: z.string(),
  /** The grants of the codes, the newest last. Each contains what was approved with it, and ends by itself. */
  grantIds: z.array(z.string()),
  /** When it ends in any case, in milliseconds since the epoch: 30 days after the person has decided last. */
  expiresAt: z.number(),
});
type StoredApproval = z.infer<typeof storedApproval>;

const approvals = defineCollection<StoredApproval>("approval", {
  schema: storedApproval.parse,
  keyOf: ({ tenantId, approvalId: key }) => ({ tenantId, key }),
  ownerOf: ({ principalId, oauthClientId }) => ({ principalId, oauthClientId }),
  expiresAt: ({ expiresAt }) => expiresAt,
});

/** A request of a client, and where its answer goes. */
export interface ApprovableRequest extends AuthorizationRequest, Redirection {
  readonly oauthClientId: string;
}

/**
 * What a person has allowed a client before for the key of its request, and has not ended since: other software that uses the name of a
 * client which has a key gets nothing of the approval.
 */
export interface Approval {
  readonly scopes: readonly string[];
  /** Whether it contains everything that the request asks for, for as long. */
  readonly covers: boolean;
  /** Undefined if there is none. */
  readonly stored: FoundRecord<StoredApproval> | undefined;
}

/** The approvals of people: each is for one client, one registered redirect URI, and one resource. */
export interface Approvals {
  /** Returns what the person has approved for the client, redirect URI and resource of a request. */
  find(person: Session, request: ApprovableRequest, call: Call): Promise<Approval>;
  /**
   * Approves scopes, and issues a code for them. Resolves with undefined, and changes nothing, if the approval or the pushed request has
   * changed since it was read.
   *
   * @param decision.byPerson whether the person has decided now. Otherwise the approval does not live longer for it.
   * @param decision.taking the write that uses up a pushed request. Undefined: the request was not pushed.
   */
  approve(
    person: Session,
    request: ApprovableRequest,
    decision: {
      readonly before: Approval;
      readonly scopes: readonly string[];
      readonly byPerson: boolean;
      readonly taking: RecordPut | undefined;
    },
    call: Call,
  ): Promise<string | undefined>;
}

/** Creates the approvals. What was approved with a code ends with its grant or refresh family, so that nothing else must end it. */
export function createApprovals({
  own,
  clock,
  platform,
}: Pick<AccountsParts, "own" | "clock" | "platform">): Approvals {
  return {
    async find(person, request, call) {
      const id = approvalIdOf(person, request);
      const stored = approvals.open(await own.getRecord(approvals.key(person.tenantId, id), call));
      if (stored === undefined) return { scopes: [], covers: false, stored };
      const { grantIds } = stored.value;
      const [families, grants] = await Promise.all([own.listRefreshFamilies(person), own.listGrants(person)]);
      // An access with bounds covers no other: a new code would have a new number of deletions.
      const isLive = (id: string, { popKeyId, delegation }: Pick<Grant, "popKeyId" | "delegation">) =>
        grantIds.includes(id) && popKeyId === request.popKeyId && delegation === undefined;
      const renewable = families.filter(({ familyId, newestGrant }) => isLive(familyId, newestGrant));
      const live = [...renewable, ...grants.filter((grant) => isLive(grant.grantId, grant))];
      // An access that lasts minutes does not cover one that lasts days.
      const covering = (request.refreshable ? renewable : live).flatMap(({ scopes }) => scopes);
      return {
        scopes: [...new Set(live.flatMap(({ scopes }) => scopes))].sort(),
        // The person decides about the limits that a client asks for.
        covers: request.bounds === undefined && request.scopes.every((scope) => covering.includes(scope)),
        stored,
      };
    },

    approve(person, request, { before: { stored }, scopes, byPerson, taking }, call) {
      const { tenantId, principalId } = person;
      const { oauthClientId, redirectUri, codeChallenge, target, popKeyId, refreshable, bounds } = request;
      const grantId = platform.secrets.newId();
      const now = clock.now();
      const before = stored?.value ?? { grantIds: [], expiresAt: now + lifeMs };
      const approval = {
        approvalId: approvalIdOf(person, request),
        tenantId,
        principalId,
        oauthClientId,
        grantIds: [...before.grantIds, grantId].slice(-mostGrants),
        expiresAt: byPerson ? now + lifeMs : before.expiresAt,
      };
      const remembering = stored === undefined ? approvals.create(approval, now) : stored.replace(approval);
      const puts = taking === undefined ? [remembering] : [remembering, taking];
      const approved = { tenantId, principalId, oauthClientId, redirectUri, codeChallenge, popKeyId, refreshable };
      return own.issueAuthorizationCode({ ...approved, scopes, bounds, resource: target, grantId, puts }, call);
    },
  };
}

function approvalIdOf(
  { tenantId, principalId }: Session,
  { oauthClientId, registered, target }: ApprovableRequest,
): string {
  return hash("sha256", JSON.stringify([tenantId, principalId, oauthClientId, registered, target]), "base64url");
}
