import type { ChangePage, ChangeQuery, Item, Storage } from "@platform-rpc/server";
import { StorageError } from "@platform-rpc/server/fetch";
import { listAudit, readAudit, sealAudit } from "./memory-audit.ts";
import { isActive, loadSnapshot } from "./memory-snapshot.ts";
import { createMemoryTables, type ItemRow, type MemoryTables } from "./memory-tables.ts";
import { applyWrite } from "./memory-write.ts";

/**
 * Creates a storage in the memory of one process, without Node's modules. It is a minimal adapter that passes the suite in
 * `@platform-rpc/server/testing`. All data is lost when the process ends.
 */
export function createMemoryStorage(tables: MemoryTables = createMemoryTables()): Storage {
  let closed = false;
  const open = () => {
    if (closed) throw new StorageError("unavailable");
  };
  return {
    async transact(ref, rule, { wanted = () => true } = {}) {
      open();
      // The caller may still cancel in this turn.
      await undefined;
      if (!wanted()) throw new StorageError("dropped");
      const { outcome, writes } = rule.decide(loadSnapshot(tables, ref));
      const sequences = tables.atomically(() => writes.map((write) => applyWrite(tables, write)));
      return { outcome, sequence: sequences.find((sequence) => sequence !== undefined) };
    },

    async readAccess({ tenantId, principalId, oauthClientId, tokenId, grantId }) {
      open();
      const subjects = [tokenId, grantId].filter((subject) => subject !== "");
      return {
        oauthClient: tables.oauthClients.get(tenantId, oauthClientId),
        principalActive: isActive(tables, tenantId, principalId),
        revoked:
          subjects.some((subject) => tables.revocations.get(subject) !== undefined) ||
          (grantId !== "" && tables.grants.get(grantId) === undefined),
      };
    },

    async listChanges(query) {
      open();
      return listChanges(tables, query);
    },

    async listVaults({ tenantId, principalId, afterVaultId = "", limit }) {
      open();
      return tables.vaults
        .all()
        .flatMap(({ vault, head }) => {
          const role = tables.members.get(vault.tenantId, vault.vaultId, principalId);
          if (vault.tenantId !== tenantId || role === undefined || vault.vaultId <= afterVaultId) return [];
          return [{ vaultId: vault.vaultId, role, retentionDays: vault.retentionDays, head }];
        })
        .toSorted((a, b) => (a.vaultId < b.vaultId ? -1 : 1))
        .slice(0, limit);
    },

    async listShreddable(now, limit) {
      open();
      return tables.items
        .all()
        .map(({ status }) => status)
        .filter(({ shredAt }) => shredAt !== undefined && shredAt <= now)
        .toSorted((a, b) => Number(a.shredAt) - Number(b.shredAt))
        .slice(0, limit)
        .map(({ tenantId, vaultId, itemId }) => ({ tenantId, vaultId, itemId }));
    },

    async listRecords({ collection, tenantId, principalId, afterKey = "", limit }) {
      open();
      return tables.records
        .all()
        .filter((record) => record.collection === collection && record.tenantId === tenantId)
        .filter((record) => record.principalId === principalId && record.key > afterKey)
        .toSorted((a, b) => (a.key < b.key ? -1 : 1))
        .slice(0, limit);
    },

    async purge(expiredBefore, limit) {
      open();
      return purge(tables, expiredBefore, limit);
    },

    async sealAudit(limit) {
      open();
      return sealAudit(tables, limit);
    },

    async readBacklog() {
      open();
      const { audit, auditSeals, items, deviceAuthorizations, grants, records } = tables;
      const earliest = (times: readonly (number | undefined)[]) =>
        times.filter((at) => at !== undefined).toSorted((a, b) => a - b)[0];
      return {
        unsealedSince: audit.all()[auditSeals.all().at(-1)?.position ?? 0]?.at,
        shreddableFrom: earliest(items.all().map(({ status }) => status.shredAt)),
        expiredFrom: earliest([
          ...[...deviceAuthorizations.all(), ...records.all()].map(({ expiresAt }) => expiresAt),
          ...grants.all().map(({ expiresAt }) => 1000 * expiresAt),
        ]),
      };
    },

    async readAudit(position, limit) {
      open();
      return readAudit(tables, position, limit);
    },

    async listGrants({ tenantId, principalId, expiresAfter, limit }) {
      open();
      const found = tables.grants
        .all()
        .filter((grant) => grant.tenantId === tenantId && grant.principalId === principalId)
        .filter(({ grantId, expiresAt }) => expiresAt > expiresAfter && tables.revocations.get(grantId) === undefined);
      return found.toSorted((one, other) => other.issuedAt - one.issuedAt).slice(0, limit);
    },

    async listAudit(query) {
      open();
      return listAudit(tables, query);
    },

    check: async () => open(),
    verify: async () => open(),
    async close() {
      closed = true;
    },
  };
}

function listChanges(
  tables: MemoryTables,
  { tenantId, vaultId, principalId, afterSequence, limit, maxBytes }: ChangeQuery,
): ChangePage {
  const row = tables.vaults.get(tenantId, vaultId);
  const hidden = principalId !== undefined && tables.members.get(tenantId, vaultId, principalId) === undefined;
  if (row === undefined || hidden) return { vault: undefined, head: 0, reached: false, items: [], hasMore: false };
  const changed = tables.items
    .all()
    .filter(({ status, sequence }) => isIn(status, tenantId, vaultId) && sequence > afterSequence)
    .toSorted((a, b) => a.sequence - b.sequence)
    .map(toItem);
  const items: Item[] = [];
  let bytes = 0;
  for (const item of changed.slice(0, limit)) {
    bytes += new TextEncoder().encode(JSON.stringify(item)).length;
    if (bytes > (maxBytes ?? Number.POSITIVE_INFINITY) && items.length > 0) break;
    items.push(item);
  }
  const { vault, head } = row;
  return { vault, head, reached: afterSequence <= head, items, hasMore: items.length < changed.length };
}

function purge(
  { deviceAuthorizations, grants, records, revocations }: MemoryTables,
  expiredBefore: number,
  limit: number,
): number {
  const expired = deviceAuthorizations.all().filter(({ expiresAt }) => expiresAt < expiredBefore);
  const authorizations = expired.toSorted((a, b) => a.expiresAt - b.expiresAt).slice(0, limit);
  for (const { deviceCodeHash, userCodeHash } of authorizations) {
    const sameUserCode = deviceAuthorizations.all().filter((each) => each.userCodeHash === userCodeHash);
    const newest = sameUserCode.at(-1)?.deviceCodeHash === deviceCodeHash;
    // The older ones must not get the user code back.
    for (const each of newest ? sameUserCode : []) {
      deviceAuthorizations.set({ ...each, userCodeHash: "" }, each.deviceCodeHash);
    }
    deviceAuthorizations.remove(deviceCodeHash);
  }
  const ended = grants.all().filter(({ expiresAt }) => expiresAt * 1000 < expiredBefore);
  const removed = ended.toSorted((a, b) => a.expiresAt - b.expiresAt).slice(0, limit);
  for (const { grantId, accessTokenId, brokerTokenId } of removed) {
    for (const subject of [grantId, accessTokenId, brokerTokenId]) if (subject !== "") revocations.remove(subject);
    grants.remove(grantId);
  }
  const expiredRecords = records
    .all()
    .filter(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt < expiredBefore)
    .toSorted((a, b) => Number(a.expiresAt) - Number(b.expiresAt))
    .slice(0, limit);
  for (const { collection, key } of expiredRecords) records.remove(collection, key);
  return authorizations.length + removed.length + expiredRecords.length;
}

function isIn(
  ref: { readonly tenantId: string; readonly vaultId: string },
  tenantId: string,
  vaultId: string,
): boolean {
  return ref.tenantId === tenantId && ref.vaultId === vaultId;
}

function toItem({ status, content, sequence }: ItemRow): Item {
  return { ...status, ...content, sequence };
}
