import { hash } from "node:crypto";
import type { Call } from "@platform-rpc/server";
import {
  type Bounds,
  defineCollection,
  type FoundRecord,
  type Grant,
  type RecordPut,
  type Redirection,
} from "@platform-rpc/server/host";
import * as z from "zod";
import type { AccountsParts } from "../http/environment.js";
import type { AuthorizationRequest } from "../oauth/authorization-request.js";
import type { Session } from "../people/session.js";
import { asksTo } from "../review/bounds-choice.js";

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

/** What covers a request, so that the person need not be asked. */
interface Covering {
  readonly bounds: Bounds | undefined;
  /** The ids of the accesses that contain it. */
  readonly derivedFrom: readonly string[];
}

/**
 * What a person has allowed a client before for the key of its request, and has not ended since: other software that uses the name of a
 * client which has a key gets nothing of the approval.
 */
export interface Approval {
  readonly scopes: readonly string[];
  /** The ids of accesses that contain these scopes. */
  readonly from: readonly string[];
  /** The bounds of what contains everything that the request asks for, for as long. Undefined: nothing does. */
  readonly covering: Covering | undefined;
  readonly stored: FoundRecord<StoredApproval> | undefined;
}

/** What a person decides about a request. */
export interface ApprovalDecision {
  /** What the person has allowed before: its scopes, which are among those that are approved, stay. */
  readonly before: Approval;
  readonly scopes: readonly string[];
  readonly bounds: Bounds | undefined;
  /** What covers the request. The approval does not live longer for it. Undefined: the person has decided now. */
  readonly derivedFrom: readonly string[] | undefined;
  /** The write that uses up a pushed request. Undefined: the request was not pushed. */
  readonly taking: RecordPut | undefined;
}

/**
 * Creates the approvals of people: each is for one client, one registered redirect URI, and one resource. What was
 * approved with a code ends with its grant or refresh family, so that nothing else must end it.
 */
export function createApprovals({ own, clock, platform }: Pick<AccountsParts, "own" | "clock" | "platform">) {
  return {
    /** Returns what the person has approved for the client, redirect URI and resource of a request. */
    async find(person: Session, request: ApprovableRequest, call: Call): Promise<Approval> {
      const id = approvalIdOf(person, request);
      const stored = approvals.open(await own.getRecord(approvals.key(person.tenantId, id), call));
      if (stored === undefined) return { scopes: [], from: [], covering: undefined, stored };
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
        ...allowedBy(live),
        // An access that lasts minutes does not cover one that lasts days.
        covering: coveringOf(request, request.refreshable ? renewable : live, boundsOf),
        stored,
      };
    },

    /**
     * Approves scopes with their bounds, and issues a code for them. Resolves with undefined, and changes nothing, if the approval, what it
     * is derived from, or the pushed request has changed since it was read.
     */
    approve(person: Session, request: ApprovableRequest, decision: ApprovalDecision, call: Call) {
      const { scopes, bounds, derivedFrom, taking } = decision;
      const { stored, from } = decision.before;
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
        expiresAt: derivedFrom === undefined ? now + lifeMs : before.expiresAt,
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
        derivedFrom,
        keptFrom: derivedFrom === undefined ? from : undefined,
        // A code without a page must not make the approval last longer.
        renewableUntil: derivedFrom === undefined ? undefined : approval.expiresAt,
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

function coveringOf(
  { bounded, bounds, scopes }: ApprovableRequest,
  live: readonly Access[],
  boundsOf: ReadonlyMap<string, Bounds>,
): Covering | undefined {
  const covers = (allowed: readonly string[]) => scopes.every((scope) => allowed.includes(scope));
  // The person decides about limits that the client asks for.
  if (bounds !== undefined) return undefined;
  if (!bounded) {
    const used = live.filter((access) => access.scopes.some((scope) => scopes.includes(scope)));
    return covers(scopesOf(used)) ? { bounds, derivedFrom: [...new Set(used.map(({ id }) => id))] } : undefined;
  }
  // A new code has a new number of deletions and uses: only the person gives one.
  if (asksTo("delete", scopes, undefined) || asksTo("use", scopes, undefined)) return undefined;
  const covering = live.find((access) => covers(access.scopes) && boundsOf.has(access.id));
  return covering && { bounds: boundsOf.get(covering.id), derivedFrom: [covering.id] };
}

/** Returns what accesses allow together, and for each scope one access that contains it. Those that can be renewed are first. */
function allowedBy(accesses: readonly Access[]): Pick<Approval, "scopes" | "from"> {
  const scopes = scopesOf(accesses);
  const from = scopes.flatMap((scope) => accesses.find((access) => access.scopes.includes(scope))?.id ?? []);
  return { scopes, from: [...new Set(from)] };
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
