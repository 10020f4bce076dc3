import type { OauthClient, Principal } from "./access.js";
import type { Actor } from "./actor.js";
import { audit } from "./audit.js";
import type { Decision } from "./decision.js";
import type { Grant, TokenSnapshot } from "./grant.js";

/** Records what an access token is made of, so that it can be signed, and revoked. */
export function decideIssueAccessToken(grant: Grant, actor: Actor, now: number): Decision<Grant> {
  return {
    outcome: grant,
    writes: [
      { kind: "grant", grant },
      audit(actor, now, { subjectTenantId: grant.tenantId, subject: `grant:${grant.grantId}`, event: "granted" }),
    ],
  };
}

/**
 * Revokes a token and all of its grant. A token that is not ours is revoked by its `jti` alone, as RFC 7009 section 2.2
 * has it: revoking what is not known succeeds.
 */
export function decideRevokeToken(
  { grant }: TokenSnapshot,
  tokenId: string,
  actor: Actor,
  now: number,
): Decision<undefined> {
  return {
    outcome: undefined,
    writes: [
      { kind: "revocation", subjectId: tokenId, at: now },
      ...(grant === undefined ? [] : [{ kind: "revocation", subjectId: grant.grantId, at: now } as const]),
      audit(actor, now, {
        subjectTenantId: grant?.tenantId ?? actor.tenantId,
        subject: grant === undefined ? `token:${tokenId}` : `grant:${grant.grantId}`,
        event: "revoked",
      }),
    ],
  };
}

/** Sets an OAuth client as a whole. */
export function decideSetOauthClient(oauthClient: OauthClient, actor: Actor, now: number): Decision<undefined> {
  return {
    outcome: undefined,
    writes: [
      { kind: "oauthClient", oauthClient },
      audit(actor, now, {
        subjectTenantId: oauthClient.tenantId,
        subject: `oauth-client:${oauthClient.oauthClientId}`,
        event: oauthClient.enabled ? `enabled for ${oauthClient.allowedOperations.join(" ") || "nothing"}` : "disabled",
      }),
    ],
  };
}

/** Makes a principal active or inactive. */
export function decideSetPrincipal(principal: Principal, actor: Actor, now: number): Decision<undefined> {
  return {
    outcome: undefined,
    writes: [
      { kind: "principal", principal },
      audit(actor, now, {
        subjectTenantId: principal.tenantId,
        subject: `principal:${principal.principalId}`,
        event: principal.active ? "activated" : "deactivated",
      }),
    ],
  };
}
