import type { OauthClient, OauthClientSnapshot, Principal, RegisteredOauthClient } from "./access.js";
import type { Actor } from "./actor.js";
import { audit } from "./audit.js";
import { type Decision, unchanged, type Write } from "./decision.js";
import type { Grant, TokenSnapshot } from "./grant.js";
import { defineRule } from "./rule.js";

export const issueAccessToken = defineRule("issueAccessToken", decideIssueAccessToken);

/** Stores the grant of an access token, so that the token can be signed and revoked. */
export function decideIssueAccessToken(_: undefined, grant: Grant, actor: Actor, now: number): Decision<Grant> {
  return {
    outcome: grant,
    writes: [
      { kind: "grant", grant },
      audit(actor, now, { subjectTenantId: grant.tenantId, subject: `grant:${grant.grantId}`, event: "granted" }),
    ],
  };
}

export const getGrant = defineRule("getGrant", decideGetGrant);

/** Reads the grant of a token, so that the token can be signed again. */
function decideGetGrant({ grant }: TokenSnapshot): Decision<Grant | undefined> {
  return unchanged(grant);
}

export const revokeToken = defineRule("revokeToken", decideRevokeToken);

/**
 * Revokes a token and every token of its grant. An unknown token is revoked by its `jti` alone: revoking an unknown token
 * succeeds (RFC 7009 section 2.2).
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

export const setOauthClient = defineRule("setOauthClient", decideSetOauthClient);

/** Creates or replaces an OAuth client. The actor is stored as the one that registered it, unless it exists. */
export function decideSetOauthClient(
  _: undefined,
  oauthClient: OauthClient,
  actor: Actor,
  now: number,
): Decision<undefined> {
  const registered: RegisteredOauthClient = { ...oauthClient, registeredAt: now, registeredBy: actor.principalId };
  return {
    outcome: undefined,
    writes: [
      { kind: "oauthClient", oauthClient: registered },
      audit(actor, now, {
        subjectTenantId: oauthClient.tenantId,
        subject: `oauth-client:${oauthClient.oauthClientId}`,
        event: oauthClient.enabled ? `enabled for ${oauthClient.allowedOperations.join(" ") || "nothing"}` : "disabled",
      }),
    ],
  };
}

export const registerOauthClient = defineRule("registerOauthClient", decideRegisterOauthClient);

/**
 * Creates an OAuth client that registers itself, or renames it. Changes nothing of one that an administrator has disabled, and never
 * the allowlist of an existing one.
 */
export function decideRegisterOauthClient(
  { oauthClient: current }: OauthClientSnapshot,
  registration: Omit<OauthClient, "enabled">,
  actor: Actor,
  now: number,
): Decision<undefined> {
  if (current?.enabled === false || current?.name === registration.name) return unchanged(undefined);
  const { allowedOperations } = current ?? registration;
  return decideSetOauthClient(undefined, { ...registration, allowedOperations, enabled: true }, actor, now);
}

export const setPrincipal = defineRule("setPrincipal", decideSetPrincipal);

/** Creates a principal, or sets it active or inactive. */
export function decideSetPrincipal(_: undefined, principal: Principal, actor: Actor, now: number): Decision<undefined> {
  return { outcome: undefined, writes: principalWrites(principal, actor, now) };
}

/** Returns the write of a principal and its audit record. */
export function principalWrites(principal: Principal, actor: Actor, now: number): readonly Write[] {
  return [
    { kind: "principal", principal },
    audit(actor, now, {
      subjectTenantId: principal.tenantId,
      subject: `principal:${principal.principalId}`,
      event: principal.active ? "activated" : "deactivated",
    }),
  ];
}
