import type { OauthClient } from "../../domain/access.js";
import type { Consumption, DeviceAuthorization } from "../../domain/device-authorization.js";
import type { Grant } from "../../domain/grant.js";
import type { ContentCipher } from "./content-cipher.js";
import type { ItemRow, WorkingSet } from "./working-set.js";

/** The result of `platform_load_1`. A list that was not asked for, or is empty, is null. */
export interface LoadedRows {
  readonly items: readonly LoadedItem[] | null;
  readonly vaults: readonly (readonly [t: string, v: string, ...LoadedVault])[] | null;
  readonly codes: readonly LoadedCode[] | null;
  readonly tokens: readonly (readonly [id: string, grant: GrantColumns | null])[] | null;
  readonly grants: readonly (readonly [id: string, grant: GrantColumns | null, revoked: boolean])[] | null;
  readonly clients: readonly (readonly [t: string, c: string, client: ClientColumns | null])[] | null;
  readonly principals: readonly (readonly [t: string, p: string, active: boolean | null])[] | null;
  readonly facts: readonly (readonly [name: string, value: unknown, revision: number | null])[] | null;
  readonly access:
    | readonly (readonly [n: number, client: ClientColumns | null, active: boolean | null, revoked: boolean])[]
    | null;
}

type LoadedVault = readonly [
  retentionDays: number | null,
  accessRevision: number | null,
  sequence: number | null,
  floor: number | null,
];

type LoadedItem = readonly [
  ...[t: string, v: string, i: string, p: string | null],
  ...LoadedVault,
  role: string | null,
  version: number | null,
  sequence: number,
  state: "live" | "deleted" | "shredded",
  updatedAt: number,
  shredAt: number | null,
  kind: string,
  alg: string,
  payloadVersion: number,
  content: string | null,
  salt: string | null,
];

interface LoadedCode {
  readonly userCode: string | null;
  readonly deviceCode: string | null;
  readonly authorization: AuthorizationColumns | null;
  readonly client: ClientColumns | null;
  readonly principal: boolean | null;
  readonly grant: GrantColumns | null;
  readonly revoked: boolean;
}

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

interface ClientColumns {
  readonly tenant_id: string;
  readonly oauth_client_id: string;
  readonly name: string;
  readonly allowed_operations: readonly string[];
  readonly enabled: boolean;
  readonly revision: number;
}

/** Adds loaded rows to a working set. */
export function addLoadedRows(set: WorkingSet, loaded: LoadedRows, cipher: ContentCipher): void {
  for (const item of loaded.items ?? []) addItem(set, item, cipher);
  for (const [t, v, ...vault] of loaded.vaults ?? []) addVault(set, t, v, vault);
  for (const code of loaded.codes ?? []) addCode(set, code);
  for (const [id, grant] of loaded.tokens ?? []) {
    set.tokens.load([id], grant?.grant_id);
    if (grant !== null) set.grants.load([grant.grant_id], toGrant(grant));
  }
  for (const [id, grant, revoked] of loaded.grants ?? []) {
    set.grants.load([id], grant === null ? undefined : toGrant(grant));
    set.revocations.load([id], revoked || undefined);
  }
  for (const [t, c, client] of loaded.clients ?? []) addClient(set, t, c, client);
  for (const [t, p, active] of loaded.principals ?? []) set.principals.load([t, p], active ?? undefined);
  for (const [name, value, revision] of loaded.facts ?? []) {
    set.facts.load([name], revision === null ? undefined : { value, revision });
  }
}

function addItem(set: WorkingSet, loaded: LoadedItem, cipher: ContentCipher): void {
  const [t, v, i, p, days, access, head, floor, role, version, sequence, state, updatedAt, shredAt, ...stored] = loaded;
  addVault(set, t, v, [days, access, head, floor]);
  if (p !== null) set.members.load([t, v, p], role ?? undefined);
  // The item of a vault that the principal is not a member of was not loaded: it may exist.
  if (p !== null && role === null) return;
  if (version === null) {
    set.items.load([t, v, i], undefined);
    return;
  }
  const ref = { tenantId: t, vaultId: v, itemId: i };
  const [kind, alg, payloadVersion, content, salt] = stored;
  const row: ItemRow = {
    status: { ...ref, version, state, updatedAt, shredAt: shredAt ?? undefined },
    sequence,
    description: { kind, alg, payloadVersion },
    content: () => cipher.open({ ...ref, kind, alg, payloadVersion, content, salt }),
  };
  set.items.load([t, v, i], row);
}

function addVault(set: WorkingSet, tenantId: string, vaultId: string, vault: LoadedVault): void {
  const [retentionDays, accessRevision, head, floor] = vault;
  set.vaults.load(
    [tenantId, vaultId],
    retentionDays === null || accessRevision === null || head === null || floor === null
      ? undefined
      : { vault: { tenantId, vaultId, retentionDays, accessRevision }, head, floor },
  );
}

function addCode(set: WorkingSet, loaded: LoadedCode): void {
  const { userCode, deviceCode, authorization, client, principal, grant, revoked } = loaded;
  if (userCode !== null) set.userCodes.load([userCode], deviceCode ?? undefined);
  if (deviceCode === null) return;
  set.authorizations.load([deviceCode], authorization === null ? undefined : toAuthorization(authorization));
  if (authorization === null) return;
  const { tenant_id, oauth_client_id, approver_id, consumption } = authorization;
  addClient(set, tenant_id, oauth_client_id, client);
  if (approver_id !== null) set.principals.load([tenant_id, approver_id], principal ?? undefined);
  if (consumption === null) return;
  set.grants.load([consumption.grantId], grant === null ? undefined : toGrant(grant));
  set.revocations.load([consumption.grantId], revoked || undefined);
}

function addClient(set: WorkingSet, tenantId: string, oauthClientId: string, client: ClientColumns | null): void {
  const row = client === null ? undefined : { oauthClient: toOauthClient(client), revision: client.revision };
  set.clients.load([tenantId, oauthClientId], row);
}

export function toOauthClient(client: ClientColumns): OauthClient {
  const { tenant_id, oauth_client_id, name, allowed_operations, enabled } = client;
  return { tenantId: tenant_id, oauthClientId: oauth_client_id, name, allowedOperations: allowed_operations, enabled };
}

function toAuthorization(row: AuthorizationColumns): DeviceAuthorization {
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

function toGrant(row: GrantColumns): Grant {
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
