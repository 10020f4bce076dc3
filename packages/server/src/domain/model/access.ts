import { defineCollection, installation } from "./collection.js";
import { type Delegation, delegations, hasEnded } from "./delegation.js";
import { findValidGrant, grants, isForeignTokenRevoked, revocations } from "./grant.js";
import type { Link, RecordKey, Records } from "./record.js";
import { flag, number, object, optional, text, texts } from "./schema.js";

/** An OAuth client: the calling software, and the operations it may call. */
export interface OauthClient {
  readonly tenantId: string;
  readonly oauthClientId: string;
  /** The name that users see when they are asked to approve. */
  readonly name: string;
  /** Full names, such as `platform.v1.VaultService/DeleteItem`. */
  readonly allowedOperations: readonly string[];
  readonly enabled: boolean;
  /** Where the authorization code grant may send the browser: at most 10. Empty: the client cannot use that grant. */
  readonly redirectUris: readonly string[];
  /**
   * The grants that the client may use, with their names of RFC 7591 section 2. Empty: all of them. If `refresh_token` is among them,
   * the authorization code grant gives a refresh token also without the scope `offline_access`.
   */
  readonly grantTypes: readonly string[];
  /** Whether the client must push its authorization requests (RFC 9126 section 6). */
  readonly requirePushedAuthorizationRequests: boolean;
  /** Whether people who approve the client are offered no bounds. Default: false. */
  readonly unbounded?: boolean | undefined;
}

/** An OAuth client as stored. Replacing it keeps who registered it, and when. */
export interface RegisteredOauthClient extends OauthClient {
  /** When it was created, in milliseconds since the epoch; 0 if that was not recorded. */
  readonly registeredAt: number;
  /** The principal that created it; empty if that was not recorded. */
  readonly registeredBy: string;
  /**
   * Until when a client that has registered itself waits for a person to approve it, in milliseconds since the epoch: it is removed a day
   * later. Undefined: a person has approved it, or an administrator has registered it, and it stays.
   */
  readonly unapprovedUntil?: number | undefined;
}

export const oauthClients = defineCollection<RegisteredOauthClient>("oauth-client", {
  schema: object({
    tenantId: text,
    oauthClientId: text,
    name: text,
    allowedOperations: texts,
    enabled: flag,
    redirectUris: texts,
    grantTypes: texts,
    requirePushedAuthorizationRequests: flag,
    unbounded: optional(flag),
    registeredAt: number,
    registeredBy: text,
    unapprovedUntil: optional(number),
  }),
  keyOf: ({ tenantId, oauthClientId: key }) => ({ tenantId, key }),
  // Those that nobody has approved can be counted.
  ownerOf: ({ unapprovedUntil, registeredBy }) => (unapprovedUntil === undefined ? {} : { principalId: registeredBy }),
  expiresAt: ({ unapprovedUntil }) => unapprovedUntil,
});

/** Returns the write that keeps an OAuth client, because a person has approved it. None if it stays anyway. */
export function keepOauthClient(records: Records, { tenantId, oauthClientId }: SubjectClient, now: number) {
  const client = oauthClients.find(records, tenantId, oauthClientId);
  return client?.unapprovedUntil === undefined
    ? []
    : [oauthClients.put(records, { ...client, unapprovedUntil: undefined }, now)];
}

type SubjectClient = Pick<OauthClient, "tenantId" | "oauthClientId">;

/** A user or service on whose behalf calls are made. An unknown principal is inactive. */
export interface Principal {
  readonly tenantId: string;
  readonly principalId: string;
  readonly active: boolean;
}

export const principals = defineCollection<Principal>("principal", {
  schema: object({ tenantId: text, principalId: text, active: flag }),
  keyOf: ({ tenantId, principalId: key }) => ({ tenantId, key }),
});

/** Returns whether a principal is active. An unknown one is not. */
export function isActive(records: Records, tenantId: string, principalId: string): boolean {
  return principals.find(records, tenantId, principalId)?.active === true;
}

export function subjectLinks({
  principalId,
  oauthClientId,
}: {
  readonly principalId: string | undefined;
  readonly oauthClientId: string;
}): readonly Link[] {
  const links: Link[] = [];
  if (principalId !== undefined && principalId !== "") links.push([principals.name, principalId]);
  if (oauthClientId !== "") links.push([oauthClients.name, oauthClientId]);
  return links;
}

/** The claims of a token whose signature, issuer, audience and expiry have been verified. */
export interface TokenClaims {
  readonly tenantId: string;
  readonly principalId: string;
  readonly oauthClientId: string;
  /** The `jti`. */
  readonly tokenId: string;
  /** The grant of the token; empty in a token of another issuer. */
  readonly grantId: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A caller that the gate has admitted. */
export interface AdmittedCaller extends TokenClaims {
  /** The delegation that bounds the caller. Undefined: there are no bounds. */
  readonly delegation?: Delegation | undefined;
}

/** The current state of a token and its subjects. */
export interface AccessState {
  readonly oauthClient: RegisteredOauthClient | undefined;
  readonly principalActive: boolean;
  /** True when the token or its grant is revoked, or when its grant does not exist. */
  readonly revoked: boolean;
  /** The delegation that bounds the token. Undefined: its grant has none. */
  readonly delegationId?: string | undefined;
  /** The stored delegation. Undefined: the token has none, or it does not exist. A token whose delegation does not exist is not valid. */
  readonly delegation?: Delegation | undefined;
}

/** The subjects of a token, whose current state is read. */
export interface AccessRef {
  readonly tenantId: string;
  readonly principalId: string;
  readonly oauthClientId: string;
  readonly tokenId: string;
  /** Empty: the token belongs to no grant of this platform. */
  readonly grantId: string;
}

/** What the contract requires of an operation's callers. */
export interface OperationPolicy {
  /** The full name, such as `platform.v1.VaultService/DeleteItem`. */
  readonly operation: string;
  readonly requiredScopes: readonly string[];
}

export function accessKeys({
  tenantId,
  principalId,
  oauthClientId,
  tokenId,
  grantId,
}: AccessRef): readonly RecordKey[] {
  const subjects = [oauthClients.key(tenantId, oauthClientId), principals.key(tenantId, principalId)];
  return grantId === ""
    ? [...subjects, revocations.key(installation, tokenId)]
    : [...subjects, grants.key(tenantId, grantId), revocations.key(tenantId, grantId)];
}

export function accessOf(records: Records, ref: AccessRef): AccessState {
  const { tenantId, principalId, oauthClientId, tokenId, grantId } = ref;
  const subjects = {
    oauthClient: oauthClients.find(records, tenantId, oauthClientId),
    principalActive: isActive(records, tenantId, principalId),
  };
  if (grantId === "") return { ...subjects, revoked: isForeignTokenRevoked(records, tokenId) };
  const grant = findValidGrant(records, tenantId, grantId);
  const delegationId = grant?.delegation?.delegationId;
  if (delegationId === undefined) return { ...subjects, revoked: grant === undefined };
  const delegation = delegations.find(records, tenantId, delegationId);
  return { ...subjects, revoked: false, delegationId, delegation };
}

/** Returns whether a token is valid: not revoked, of an active principal, and of a delegation that has not ended if it has one. */
export function isTokenValid(
  { principalActive, revoked, delegationId, delegation }: AccessState,
  now: number,
): boolean {
  if (!principalActive || revoked) return false;
  return delegationId === undefined || (delegation !== undefined && !hasEnded(delegation, now));
}

/** Returns whether the token's OAuth client is enabled and may call an operation. Deny by default. */
export function allowlisted(access: AccessState, operation: string): boolean {
  return access.oauthClient?.enabled === true && access.oauthClient.allowedOperations.includes(operation);
}

/** Returns the scopes that an operation requires and the token lacks. Compared exactly: there are no wildcards. */
export function missingScopes(held: readonly string[], policy: OperationPolicy): string[] {
  return policy.requiredScopes.filter((scope) => !held.includes(scope));
}
