import {
  type AuthorizationColumns,
  type ClientColumns,
  type GrantColumns,
  type RecordColumns,
  toAuthorization,
  toGrant,
  toOauthClient,
  toRecord,
} from "./columns.js";
import type { ContentCipher } from "./content-cipher.js";
import type { ItemRow, WorkingSet } from "./working-set.js";

/** The result of `platform_load`. A list that was not asked for, or is empty, is null. */
export interface LoadedRows {
  readonly items: readonly LoadedItem[] | null;
  readonly vaults: readonly (readonly [t: string, v: string, ...LoadedVault])[] | null;
  readonly codes: readonly LoadedCode[] | null;
  readonly tokens: readonly (readonly [id: string, grant: GrantColumns | null])[] | null;
  readonly grants: readonly (readonly [id: string, grant: GrantColumns | null, revoked: boolean])[] | null;
  readonly clients: readonly (readonly [t: string, c: string, client: ClientColumns | null])[] | null;
  readonly principals: readonly (readonly [t: string, p: string, active: boolean | null])[] | null;
  /** Null if no vault was looked for. */
  readonly newVaultFloor: number | null;
  readonly records: readonly LoadedRecord[] | null;
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

/** A record, with whether its owner is active, and its OAuth client. */
type LoadedRecord = readonly [
  collection: string,
  key: string,
  record: RecordColumns | null,
  active: boolean | null,
  client: ClientColumns | null,
];

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
  for (const record of loaded.records ?? []) addRecord(set, record);
  set.newVaultFloor = loaded.newVaultFloor ?? set.newVaultFloor;
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

function addRecord(set: WorkingSet, [collection, key, record, active, client]: LoadedRecord): void {
  set.records.load([collection, key], record === null ? undefined : toRecord(record));
  if (record === null) return;
  set.principals.load([record.tenant_id, record.principal_id], active ?? undefined);
  addClient(set, record.tenant_id, record.oauth_client_id, client);
}

function addClient(set: WorkingSet, tenantId: string, oauthClientId: string, client: ClientColumns | null): void {
  const row = client === null ? undefined : { oauthClient: toOauthClient(client), revision: client.revision };
  set.clients.load([tenantId, oauthClientId], row);
}
