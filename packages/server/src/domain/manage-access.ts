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
): Decision<OauthClient> {
  const registered: RegisteredOauthClient = { ...oauthClient, registeredAt: now, registeredBy: actor.principalId };
  const { allowedOperations, redirectUris } = oauthClient;
  const redirects = redirectUris.length === 0 ? "" : `, redirects to ${redirectUris.join(" ")}`;
  return {
    outcome: oauthClient,
    writes: [
      { kind: "oauthClient", oauthClient: registered },
      audit(actor, now, {
        subjectTenantId: oauthClient.tenantId,
        subject: `oauth-client:${oauthClient.oauthClientId}`,
        event: oauthClient.enabled ? `enabled for ${allowedOperations.join(" ") || "nothing"}${redirects}` : "disabled",
      }),
    ],
  };
}

export const registerOauthClient = defineRule("registerOauthClient", decideRegisterOauthClient);

/**
 * Creates an OAuth client that registers itself, or replaces what its registration says of an existing one. Changes nothing of one
 * that an administrator has disabled, and never the allowlist of an existing one.
 */
export function decideRegisterOauthClient(
  { oauthClient: current }: OauthClientSnapshot,
  registration: Omit<OauthClient, "enabled">,
  actor: Actor,
  now: number,
): Decision<OauthClient> {
  if (current?.enabled === false) return unchanged(current);
  if (current !== undefined && isRegisteredAs(current, registration)) return unchanged(current);
  const { allowedOperations } = current ?? registration;
  return decideSetOauthClient(undefined, { ...registration, allowedOperations, enabled: true }, actor, now);
}

/** What an OAuth client that registers itself says of itself, and may change. */
type ClientRegistration = Pick<
  OauthClient,
  "name" | "redirectUris" | "grantTypes" | "requirePushedAuthorizationRequests"
>;

/** Returns whether an OAuth client already is what a registration says. */
function isRegisteredAs(client: ClientRegistration, registration: ClientRegistration): boolean {
  return describe(client) === describe(registration);
}

function describe(registration: ClientRegistration): string {
  const { name, redirectUris, grantTypes, requirePushedAuthorizationRequests } = registration;
  return JSON.stringify([name, redirectUris, grantTypes, requirePushedAuthorizationRequests]);
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
