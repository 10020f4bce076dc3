import type { StoredRecord } from "../../domain/model/record.js";
import { type ItemRow, NotLoadedError, type WorkingSet } from "../engine/working-set.js";
import type { ContentCipher } from "./content-cipher.js";

/** The result of `platform_load`. A list that was not asked for, or is empty, is null. */
export interface LoadedRows {
  readonly items: readonly LoadedItem[] | null;
  readonly vaults: readonly (readonly [t: string, v: string, ...LoadedVault])[] | null;
  /** Null if no vault was looked for. */
  readonly newVaultFloor: number | null;
  /** With those that were found through links. */
  readonly records: readonly LoadedRecord[] | null;
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
  wantsEarlier: boolean | null,
  earlier: string | null,
];

type LoadedRecord = readonly [
  ...[t: string, c: string, k: string],
  principalId: string,
  oauthClientId: string,
  value: string,
  revision: number | null,
  createdAt: number,
  expiresAt: number | null,
];

export function addLoadedRows(set: WorkingSet, loaded: LoadedRows, cipher: ContentCipher): void {
  for (const item of loaded.items ?? []) addItem(set, item, cipher);
  for (const [t, v, ...vault] of loaded.vaults ?? []) addVault(set, t, v, vault);
  for (const record of loaded.records ?? []) {
    const [tenantId, collection, key] = record;
    set.records.load([tenantId, collection, key], toRecord(record));
  }
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
  const [kind, alg, payloadVersion, content, salt, wantsEarlier, earlier] = stored;
  const row: ItemRow = {
    status: { ...ref, version, state, updatedAt, shredAt: shredAt ?? undefined },
    sequence,
    description: () => ({ kind, alg, payloadVersion }),
    content: () => cipher.open({ ...ref, kind, alg, payloadVersion, content, salt }),
    earlier() {
      if (wantsEarlier !== true) throw new NotLoadedError([{ table: "earlier", key: [t, v, i] }]);
      return cipher.openEarlier({ ...ref, earlier, salt });
    },
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

/** Returns a loaded record. Undefined if it does not exist. */
export function toRecord(loaded: LoadedRecord): StoredRecord | undefined {
  const [tenantId, collection, key, principalId, oauthClientId, value, revision, createdAt, expiresAt] = loaded;
  if (revision === null) return undefined;
  const owner = { principalId, oauthClientId };
  return { tenantId, collection, key, ...owner, value, revision, createdAt, expiresAt: expiresAt ?? undefined };
}
