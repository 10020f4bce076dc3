import type { RegisteredOauthClient } from "../../domain/access.js";
import type { Consumption, DeviceAuthorization } from "../../domain/device-authorization.js";
import type { Grant } from "../../domain/grant.js";
import type { StoredRecord } from "../../domain/record.js";

/** A row of `device_authorizations`. */
export interface AuthorizationColumns {
  readonly device_code_hash: string;
  readonly user_code_hash: string;
  readonly tenant_id: string;
  readonly oauth_client_id: string;
  readonly requested_scopes: readonly string[];
  readonly pop_key_id: string;
  readonly state: DeviceAuthorization["state"];
  readonly revision: number;
  readonly created_at: number;
  readonly expires_at: number;
  readonly interval_seconds: number;
  readonly last_poll_at: number | null;
  readonly approver_id: string | null;
  readonly approved_scopes: readonly string[];
  readonly consumption: (Omit<Consumption, "idempotencyKeyHash"> & { readonly idempotencyKeyHash?: string }) | null;
}

/** A row of `grants`. */
export interface GrantColumns {
  readonly grant_id: string;
  readonly tenant_id: string;
  readonly principal_id: string;
  readonly oauth_client_id: string;
  readonly scopes: readonly string[];
  readonly key_id: string;
  readonly issued_at: number;
  readonly expires_at: number;
  readonly access_token_id: string;
  readonly broker_token_id: string;
  readonly pop_key_id: string;
}

/** A row of `oauth_clients`. */
export interface ClientColumns {
  readonly tenant_id: string;
  readonly oauth_client_id: string;
  readonly name: string;
  readonly allowed_operations: readonly string[];
  readonly enabled: boolean;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly require_pushed_authorization_requests: boolean;
  readonly revision: number;
  readonly registered_at: number;
  readonly registered_by: string;
}

/** A row of `records`. */
export interface RecordColumns {
  readonly collection: string;
  readonly key: string;
  readonly tenant_id: string;
  readonly principal_id: string;
  readonly oauth_client_id: string;
  readonly value: string;
  readonly revision: number;
  readonly created_at: number;
  readonly expires_at: number | null;
}

/** Returns the OAuth client of a row. */
export function toOauthClient(client: ClientColumns): RegisteredOauthClient {
  return {
    tenantId: client.tenant_id,
    oauthClientId: client.oauth_client_id,
    name: client.name,
    allowedOperations: client.allowed_operations,
    enabled: client.enabled,
    redirectUris: client.redirect_uris,
    grantTypes: client.grant_types,
    requirePushedAuthorizationRequests: client.require_pushed_authorization_requests,
    registeredAt: client.registered_at,
    registeredBy: client.registered_by,
  };
}

/** Returns the row of an OAuth client that is new. */
export function clientColumns(oauthClient: RegisteredOauthClient): ClientColumns {
  return {
    tenant_id: oauthClient.tenantId,
    oauth_client_id: oauthClient.oauthClientId,
    name: oauthClient.name,
    allowed_operations: oauthClient.allowedOperations,
    enabled: oauthClient.enabled,
    redirect_uris: oauthClient.redirectUris,
    grant_types: oauthClient.grantTypes,
    require_pushed_authorization_requests: oauthClient.requirePushedAuthorizationRequests,
    revision: 1,
    registered_at: oauthClient.registeredAt,
    registered_by: oauthClient.registeredBy,
  };
}

/** Returns the record of a row. */
export function toRecord(row: RecordColumns): StoredRecord {
  return {
    collection: row.collection,
    key: row.key,
    tenantId: row.tenant_id,
    principalId: row.principal_id,
    oauthClientId: row.oauth_client_id,
    value: row.value,
    revision: row.revision,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
  };
}

/** Returns the row of a record. */
export function recordColumns(record: StoredRecord): RecordColumns {
  return {
    collection: record.collection,
    key: record.key,
    tenant_id: record.tenantId,
    principal_id: record.principalId,
    oauth_client_id: record.oauthClientId,
    value: record.value,
    revision: record.revision,
    created_at: record.createdAt,
    expires_at: record.expiresAt ?? null,
  };
}

/** Returns the device authorization of a row. */
export function toAuthorization(row: AuthorizationColumns): DeviceAuthorization {
  const { consumption } = row;
  return {
    deviceCodeHash: row.device_code_hash,
    userCodeHash: row.user_code_hash,
    tenantId: row.tenant_id,
    oauthClientId: row.oauth_client_id,
    requestedScopes: row.requested_scopes,
    popKeyId: row.pop_key_id,
    state: row.state,
    revision: row.revision,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    intervalSeconds: row.interval_seconds,
    lastPollAt: row.last_poll_at ?? undefined,
    approverId: row.approver_id ?? undefined,
    approvedScopes: row.approved_scopes,
    consumption:
      consumption === null ? undefined : { ...consumption, idempotencyKeyHash: consumption.idempotencyKeyHash },
  };
}

/** Returns the row of a device authorization. */
export function authorizationColumns(authorization: DeviceAuthorization): AuthorizationColumns {
  const { consumption } = authorization;
  return {
    device_code_hash: authorization.deviceCodeHash,
    user_code_hash: authorization.userCodeHash,
    tenant_id: authorization.tenantId,
    oauth_client_id: authorization.oauthClientId,
    requested_scopes: authorization.requestedScopes,
    pop_key_id: authorization.popKeyId,
    state: authorization.state,
    revision: authorization.revision,
    created_at: authorization.createdAt,
    expires_at: authorization.expiresAt,
    interval_seconds: authorization.intervalSeconds,
    last_poll_at: authorization.lastPollAt ?? null,
    approver_id: authorization.approverId ?? null,
    approved_scopes: authorization.approvedScopes,
    consumption: consumption === undefined ? null : toConsumptionJson(consumption),
  };
}

function toConsumptionJson({ idempotencyKeyHash, ...consumption }: Consumption): AuthorizationColumns["consumption"] {
  return idempotencyKeyHash === undefined ? consumption : { ...consumption, idempotencyKeyHash };
}

/** Returns the grant of a row. */
export function toGrant(row: GrantColumns): Grant {
  return {
    grantId: row.grant_id,
    tenantId: row.tenant_id,
    principalId: row.principal_id,
    oauthClientId: row.oauth_client_id,
    scopes: row.scopes,
    keyId: row.key_id,
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
    accessTokenId: row.access_token_id,
    brokerTokenId: row.broker_token_id,
    popKeyId: row.pop_key_id,
  };
}

/** Returns the row of a grant. */
export function grantColumns(grant: Grant): GrantColumns {
  return {
    grant_id: grant.grantId,
    tenant_id: grant.tenantId,
    principal_id: grant.principalId,
    oauth_client_id: grant.oauthClientId,
    scopes: grant.scopes,
    key_id: grant.keyId,
    issued_at: grant.issuedAt,
    expires_at: grant.expiresAt,
    access_token_id: grant.accessTokenId,
    broker_token_id: grant.brokerTokenId,
    pop_key_id: grant.popKeyId,
  };
}
