import { hash } from "node:crypto";
import {
  type Bounds,
  type Call,
  defineCollection,
  type FoundRecord,
  type Grant,
  type RecordPut,
} from "@platform-rpc/server";
import * as z from "zod";
import type { AccountsParts } from "../http/environment.js";
import type { AuthorizationRequest, Redirection } from "../oauth/authorization-request.js";
import type { Session } from "../people/session.js";
import { asksToDelete } from "../review/bounds-choice.js";

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
  /** Whether people who approve the client are offered bounds. */
  readonly bounded: boolean;
}

/**
 * What a person has allowed a client before for the key of its request, and has not ended since: other software that uses the name of a
 * client which has a key gets nothing of the approval.
 */
export interface Approval {
  readonly scopes: readonly string[];
  /** The bounds of what contains everything that the request asks for, for as long. Undefined: nothing does. */
  readonly covering: { readonly bounds: Bounds | undefined } | undefined;
  /** Undefined if there is none. */
  readonly stored: FoundRecord<StoredApproval> | undefined;
}

/** The approvals of people: each is for one client, one registered redirect URI, and one resource. */
export interface Approvals {
  /** Returns what the person has approved for the client, redirect URI and resource of a request. */
  find(person: Session, request: ApprovableRequest, call: Call): Promise<Approval>;
  /**
   * Approves scopes with their bounds, and issues a code for them. Resolves with undefined, and changes nothing, if the approval or the pushed request has
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
      readonly bounds: Bounds | undefined;
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
      if (stored === undefined) return { scopes: [], covering: undefined, stored };
      const { grantIds } = stored.value;
      const [families, grants, delegations] = await Promise.all([
        own.listRefreshFamilies(person),
        own.listGrants(person),
        own.listDelegations(person),
      ]);
      const now = clock.now();
      const lasting = delegations.filter(({ bounds }) => now < (bounds.expiresAt ?? Number.POSITIVE_INFINITY));
      const boundsOf = new Map(lasting.map(({ delegationId, bounds }) => [delegationId, bounds]));
      // What has bounds does not cover what has none.
      const isLive = (id: string, { popKeyId, delegation }: Pick<Grant, "popKeyId" | "delegation">) =>
        grantIds.includes(id) &&
        popKeyId === request.popKeyId &&
        (delegation === undefined || (request.bounded && boundsOf.has(delegation.delegationId)));
      const renewable = families
        .filter(({ familyId, newestGrant }) => isLive(familyId, newestGrant))
        .map(({ familyId, scopes }) => ({ id: familyId, scopes }));
      const others = grants
        .filter((grant) => isLive(grant.grantId, grant))
        .map(({ grantId, scopes }) => ({ id: grantId, scopes }));
      const live = [...renewable, ...others];
      return {
        scopes: scopesOf(live),
        // An access that lasts minutes does not cover one that lasts days.
        covering: coveringOf(request, request.refreshable ? renewable : live, boundsOf),
        stored,
      };
    },

    approve(person, request, { before: { stored }, scopes, bounds, byPerson, taking }, call) {
      const { tenantId, principalId, browser, address } = person;
      const device = `${browser}, ${address}`;
      const { oauthClientId, redirectUri, codeChallenge, target, popKeyId, refreshable } = request;
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
      const approved = {
        tenantId,
        principalId,
        oauthClientId,
        redirectUri,
        codeChallenge,
        popKeyId,
        device,
        refreshable,
      };
      return own.issueAuthorizationCode({ ...approved, scopes, bounds, resource: target, grantId, puts }, call);
    },
  };
}

/** What a person has allowed, and has not ended. */
interface Access {
  /** The id of its refresh family or grant, and so of its delegation. */
  readonly id: string;
  readonly scopes: readonly string[];
}

/** Returns the bounds of what covers a request, so that the person need not be asked. */
function coveringOf(
  { bounded, bounds, scopes }: ApprovableRequest,
  live: readonly Access[],
  boundsOf: ReadonlyMap<string, Bounds>,
): Approval["covering"] {
  const covers = (allowed: readonly string[]) => scopes.every((scope) => allowed.includes(scope));
  // The person decides about limits that the client asks for.
  if (bounds !== undefined) return undefined;
  if (!bounded) return covers(scopesOf(live)) ? { bounds } : undefined;
  // A new code has a new number of deletions: only the person gives one.
  if (asksToDelete(scopes, undefined)) return undefined;
  const [covering] = live.filter((access) => covers(access.scopes)).flatMap(({ id }) => boundsOf.get(id) ?? []);
  return covering && { bounds: covering };
}

function scopesOf(accesses: readonly Access[]): readonly string[] {
  return [...new Set(accesses.flatMap(({ scopes }) => scopes))].sort();
}

function approvalIdOf(
  { tenantId, principalId }: Session,
  { oauthClientId, registered, target }: ApprovableRequest,
): string {
  return hash("sha256", JSON.stringify([tenantId, principalId, oauthClientId, registered, target]), "base64url");
}
