import { sealRows } from "../../audit/seal-rows.js";
import { entriesInOrder } from "../../domain/audit-seal.js";
import type { Write } from "../../domain/decision.js";
import type { Item } from "../../domain/item.js";
import { type Storage, StorageError } from "../../ports/storage.js";
import { applyWrite } from "../engine/apply-write.js";
import { snapshotOf } from "../engine/snapshot.js";
import type { ItemRow } from "../engine/working-set.js";
import { createMemoryRows, type MemoryRows } from "./memory-rows.js";

/**
 * Creates a storage in the memory of one process, without Node's modules. It decides like the storage on PostgreSQL, with every row
 * loaded. All data is lost when the process ends.
 */
export function createMemoryStorage(rows: MemoryRows = createMemoryRows()): Storage {
  const { audit, seals, items, members, records, vaults } = rows;
  let closed = false;
  const open = () => {
    if (closed) throw new StorageError("unavailable");
  };
  const sealed = () => seals.at(-1)?.position ?? 0;

  return {
    async transact(ref, rule, { wanted = () => true } = {}) {
      open();
      // The caller may still cancel in this turn.
      await undefined;
      if (!wanted()) throw new StorageError("dropped");
      return rows.atomically(() => {
        const { outcome, writes } = rule(snapshotOf(rows, ref));
        const sequences = writes.map((write) => commitWrite(rows, write));
        return { outcome, sequence: sequences.find((sequence) => sequence !== undefined) };
      });
    },

    async readRecords(keys) {
      open();
      return keys.map(({ tenantId, collection, key }) => records.get(tenantId, collection, key));
    },

    async listChanges({ tenantId, vaultId, principalId, afterSequence, limit, maxBytes = Number.POSITIVE_INFINITY }) {
      open();
      const row = vaults.get(tenantId, vaultId);
      const hidden = principalId !== undefined && members.get(tenantId, vaultId, principalId) === undefined;
      if (row === undefined || hidden) return { vault: undefined, head: 0, reached: false, items: [], hasMore: false };
      const { vault, head } = row;
      const changed = items.all().filter(({ status, sequence }) => {
        return status.tenantId === tenantId && status.vaultId === vaultId && sequence > afterSequence;
      });
      const page: Item[] = [];
      let bytes = 0;
      for (const item of lowest(changed, limit, ({ sequence }) => sequence).map(toItem)) {
        bytes += new TextEncoder().encode(JSON.stringify(item)).length;
        if (bytes > maxBytes && page.length > 0) break;
        page.push(item);
      }
      return { vault, head, reached: afterSequence <= head, items: page, hasMore: page.length < changed.length };
    },

    async listVaults({ tenantId, principalId, afterVaultId = "", limit }) {
      open();
      const found = vaults.all().flatMap(({ vault: { vaultId, retentionDays, ...vault }, head }) => {
        const role = members.get(vault.tenantId, vaultId, principalId);
        const listed = vault.tenantId === tenantId && vaultId > afterVaultId && role !== undefined;
        return listed ? [{ vaultId, role, retentionDays, head }] : [];
      });
      return lowest(found, limit, ({ vaultId }) => vaultId);
    },

    async listShreddable(now, limit) {
      open();
      const due = items.all().filter(({ status: { shredAt } }) => shredAt !== undefined && shredAt <= now);
      return lowest(due, limit, ({ status }) => Number(status.shredAt)).map(({ status }) => {
        const { tenantId, vaultId, itemId } = status;
        return { tenantId, vaultId, itemId };
      });
    },

    async listRecords({ collection, tenantId, principalId, afterKey = "", limit }) {
      open();
      const found = records.all().filter((record) => {
        const owned = record.tenantId === tenantId && record.principalId === principalId;
        return owned && record.collection === collection && record.key > afterKey;
      });
      return lowest(found, limit, ({ key }) => key);
    },

    async purge(expiredBefore, limit) {
      open();
      return purge(rows, expiredBefore, limit);
    },

    async readBacklog() {
      open();
      const first = (times: readonly (number | undefined)[]) =>
        lowest(
          times.filter((at) => at !== undefined),
          1,
          (at) => at,
        )[0];
      return {
        unsealedSince: audit[sealed()]?.at,
        shreddableFrom: first(items.all().map(({ status }) => status.shredAt)),
        expiredFrom: first(records.all().map(({ expiresAt }) => expiresAt)),
      };
    },

    async sealAudit(limit) {
      open();
      const unsealed = audit.slice(sealed(), sealed() + limit);
      const headOf = (tenant: string) => seals.findLast(({ subjectTenantId }) => subjectTenantId === tenant);
      const added = sealRows({ rows: unsealed, headOf, trail: seals.at(-1)?.trail });
      seals.push(...added);
      return { rows: unsealed.length, head: added.at(-1) };
    },

    async readAudit(after, limit) {
      open();
      const position = Math.min(after + limit, sealed());
      const covered = seals.filter((seal) => seal.position > after && seal.position <= position);
      const hasMore = position < sealed();
      const unsealed = hasMore ? 0 : audit.length - sealed();
      return { entries: entriesInOrder(audit.slice(after, position), covered), position, hasMore, unsealed };
    },

    async listAudit({ tenantId, before = Number.POSITIVE_INFINITY, limit }) {
      open();
      const older = audit.filter((row) => row.subjectTenantId === tenantId && row.position < before);
      const page = older.toReversed().slice(0, limit);
      return { rows: page, next: older.length > limit ? page.at(-1)?.position : undefined };
    },

    check: async () => open(),
    verify: async () => open(),
    async close() {
      closed = true;
    },
  };
}

/** Returns the sequence of a change; undefined for other writes. */
function commitWrite(rows: MemoryRows, write: Write): number | undefined {
  // Each write is committed before the next one is applied.
  const { expectedSequence: head } = applyWrite(rows, write, { pendingChanges: () => 0 });
  if (write.kind === "audit") rows.audit.push({ ...write.record, position: rows.audit.length + 1 });
  if (write.kind !== "change" || head === undefined) return undefined;
  const { tenantId, vaultId } = write.item;
  const vault = rows.vaults.get(tenantId, vaultId);
  rows.vaults.set([tenantId, vaultId], vault && { ...vault, head });
  return head;
}

function purge({ records }: MemoryRows, expiredBefore: number, limit: number): number {
  const expired = records.all().filter(({ expiresAt = expiredBefore }) => expiresAt < expiredBefore);
  const removed = lowest(expired, limit, ({ expiresAt }) => Number(expiresAt));
  for (const { tenantId, collection, key } of removed) records.set([tenantId, collection, key], undefined);
  return removed.length;
}

/** Returns at most `limit` rows in ascending order. */
function lowest<Row>(rows: readonly Row[], limit: number, by: (row: Row) => number | string): readonly Row[] {
  return rows.toSorted((a, b) => Number(by(a) > by(b)) - Number(by(a) < by(b))).slice(0, limit);
}

function toItem({ status, sequence, content }: ItemRow): Item {
  return { ...status, ...content(), sequence };
}
