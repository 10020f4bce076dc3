import {
  type OauthClient,
  oauthClients,
  type Principal,
  principals,
  type RegisteredOauthClient,
} from "./model/access.js";
import type { Actor } from "./model/actor.js";
import { audit } from "./model/audit.js";
import { type Decision, unchanged, type Write } from "./model/decision.js";
import { codeLifeSeconds } from "./model/device-authorization.js";
import { findGrantOf, type Grant, grantWrites, revokeForeignToken, revokeGrant } from "./model/grant.js";
import type { Records } from "./model/record.js";
import { defineRule } from "./rule.js";

export const issueAccessToken = defineRule(decideIssueAccessToken);

/** Stores the grant of an access token, so that the token can be signed and revoked. */
export function decideIssueAccessToken(_: unknown, grant: Grant, actor: Actor, now: number): Decision<Grant> {
  return {
    outcome: grant,
    writes: [
      ...grantWrites(grant, now),
      audit(actor, now, { subjectTenantId: grant.tenantId, subject: `grant:${grant.grantId}`, event: "granted" }),
    ],
  };
}

export const getGrant = defineRule(decideGetGrant);

/** Reads the grant of a token, so that the token can be signed again. */
function decideGetGrant(records: Records, tokenId: string): Decision<Grant | undefined> {
  return unchanged(findGrantOf(records, tokenId));
}

export const revokeToken = defineRule(decideRevokeToken);

/**
 * Revokes a token and every token of its grant. An unknown token is revoked by its `jti` alone: revoking an unknown token
 * succeeds (RFC 7009 section 2.2).
 */
export function decideRevokeToken(records: Records, tokenId: string, actor: Actor, now: number): Decision<undefined> {
  const grant = findGrantOf(records, tokenId);
  const writes = grant === undefined ? revokeForeignToken(records, tokenId, now) : revokeGrant(records, grant, now);
  return {
    outcome: undefined,
    writes: [
      ...writes,
      audit(actor, now, {
        subjectTenantId: grant?.tenantId ?? actor.tenantId,
        subject: grant === undefined ? `token:${tokenId}` : `grant:${grant.grantId}`,
        event: "revoked",
      }),
    ],
  };
}

export const setOauthClient = defineRule(decideSetOauthClient);

/** Creates or replaces an OAuth client. The actor is stored as the one that registered it, unless it exists. */
export function decideSetOauthClient(
  records: Records,
  oauthClient: OauthClient & Pick<RegisteredOauthClient, "unapprovedUntil">,
  actor: Actor,
  now: number,
): Decision<OauthClient> {
  const { allowedOperations, redirectUris, tenantId, oauthClientId } = oauthClient;
  const known = oauthClients.find(records, tenantId, oauthClientId);
  const { registeredAt, registeredBy } = known ?? { registeredAt: now, registeredBy: actor.principalId };
  const redirects = redirectUris.length === 0 ? "" : `, redirects to ${redirectUris.join(" ")}`;
  const unbounded = oauthClient.unbounded === true ? ", unbounded" : "";
  return {
    outcome: oauthClient,
    writes: [
      oauthClients.put(records, { ...oauthClient, registeredAt, registeredBy }, now),
      audit(actor, now, {
        subjectTenantId: tenantId,
        subject: `oauth-client:${oauthClientId}`,
        event: oauthClient.enabled
          ? `enabled for ${allowedOperations.join(" ") || "nothing"}${redirects}${unbounded}`
          : "disabled",
      }),
    ],
  };
}

export const registerOauthClient = defineRule(decideRegisterOauthClient);

/**
 * Creates an OAuth client that registers itself, or replaces what its registration says of an existing one. Changes nothing of one
 * that an administrator has disabled, and never the allowlist of an existing one. Only an administrator makes one unbounded. One that no
 * person has approved stays for as long as the codes that it asks for now.
 */
export function decideRegisterOauthClient(
  records: Records,
  { approved, ...registration }: OauthClientRegistration,
  actor: Actor,
  now: number,
): Decision<OauthClient> {
  const current = oauthClients.find(records, registration.tenantId, registration.oauthClientId);
  if (current?.enabled === false) return unchanged(current);
  const isKept = current !== undefined && current.unapprovedUntil === undefined;
  const unapprovedUntil = isKept || approved ? undefined : now + codeLifeSeconds * 1000;
  if (current !== undefined && isRegisteredAs(current, registration)) {
    if (isKept) return unchanged(current);
    return { outcome: current, writes: [oauthClients.put(records, { ...current, unapprovedUntil }, now)] };
  }
  const { allowedOperations } = current ?? registration;
  const client = { ...registration, allowedOperations, unbounded: current?.unbounded, enabled: true, unapprovedUntil };
  return decideSetOauthClient(records, client, actor, now);
}

/** What an OAuth client that registers itself says, and whether a person has approved it. */
export interface OauthClientRegistration extends Omit<OauthClient, "enabled" | "unbounded"> {
  readonly approved: boolean;
}

/** What an OAuth client that registers itself says of itself, and may change. */
type ClientRegistration = Pick<
  OauthClient,
  "name" | "redirectUris" | "grantTypes" | "requirePushedAuthorizationRequests"
>;

function isRegisteredAs(client: ClientRegistration, registration: ClientRegistration): boolean {
  return describe(client) === describe(registration);
}

function describe(registration: ClientRegistration): string {
  const { name, redirectUris, grantTypes, requirePushedAuthorizationRequests } = registration;
  return JSON.stringify([name, redirectUris, grantTypes, requirePushedAuthorizationRequests]);
}

export const setPrincipal = defineRule(decideSetPrincipal);

/** Creates a principal, or sets it active or inactive. */
export function decideSetPrincipal(
  records: Records,
  principal: Principal,
  actor: Actor,
  now: number,
): Decision<undefined> {
  return { outcome: undefined, writes: principalWrites(records, principal, actor, now) };
}

export function principalWrites(records: Records, principal: Principal, actor: Actor, now: number): readonly Write[] {
  return [
    principals.put(records, principal, now),
    audit(actor, now, {
      subjectTenantId: principal.tenantId,
      subject: `principal:${principal.principalId}`,
      event: principal.active ? "activated" : "deactivated",
    }),
  ];
}
