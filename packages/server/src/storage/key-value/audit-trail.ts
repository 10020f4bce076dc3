import { type AuditHead, sealRows } from "../../audit/seal-rows.js";
import { type AuditRow, type AuditSeal, entriesInOrder } from "../../domain/model/audit-seal.js";
import type { KeyValueStore } from "../../ports/key-value-store.js";
import type { Storage } from "../../ports/storage.js";
import { keys, ranges } from "./keys.js";
import { parse, readValues } from "./values.js";

/** The newest sealed row, and the digest of all of them. */
type SealHead = Pick<AuditSeal, "position" | "trail">;

export function createKeyValueAuditTrail(store: KeyValueStore): Pick<Storage, "sealAudit" | "readAudit" | "listAudit"> {
  const rowsAfter = async (position: number, limit: number, last = Number.POSITIVE_INFINITY) =>
    (await store.list({ ...ranges.audit(position, last), limit })).map(({ value }) => parse<AuditRow>(value));

  return {
    async sealAudit(limit) {
      const [sealed] = await store.get([keys.sealHead]);
      const { position: after, trail } = sealed === undefined ? { position: 0 } : parse<SealHead>(sealed);
      const rows = await rowsAfter(after, limit);
      if (rows.length === 0) return { rows: 0, head: undefined };
      const heads = await readValues(
        store,
        rows.map(({ subjectTenantId }) => keys.sealOf(subjectTenantId)),
      );
      const headOf = (tenantId: string) => {
        const head = heads.get(keys.sealOf(tenantId));
        return head === undefined ? undefined : parse<AuditHead>(head);
      };
      const seals = sealRows({ rows, headOf, trail });
      const head = seals.at(-1);
      const expected = new Map([[keys.sealHead, sealed]]);
      const changes = new Map([[keys.sealHead, JSON.stringify({ position: head?.position, trail: head?.trail })]]);
      for (const seal of seals) {
        const { subjectTenantId, position, digest } = seal;
        changes.set(keys.seal(position), JSON.stringify(seal));
        changes.set(keys.sealOf(subjectTenantId), JSON.stringify({ position, digest }));
      }
      // Another process was faster: it seals the same rows.
      if (!(await store.commit({ expected, changes }))) return { rows: 0, head: undefined };
      return { rows: rows.length, head };
    },

    async readAudit(after, limit) {
      const [sealed, newest = "0"] = await store.get([keys.sealHead, keys.auditHead]);
      const last = sealed === undefined ? 0 : parse<SealHead>(sealed).position;
      const rows = last > after ? await rowsAfter(after, limit, last) : [];
      const position = rows.at(-1)?.position ?? after;
      const covered = rows.length === 0 ? [] : await store.list({ ...ranges.seals(after, position), limit });
      const seals = covered.map(({ value }) => parse<AuditSeal>(value));
      const hasMore = position < last;
      return { entries: entriesInOrder(rows, seals), position, hasMore, unsealed: hasMore ? 0 : Number(newest) - last };
    },

    async listAudit({ tenantId, before = Number.POSITIVE_INFINITY, limit }) {
      const listed = await store.list({ ...ranges.auditOf(tenantId, before), limit, reverse: true });
      const values = await readValues(
        store,
        listed.map(({ value }) => value),
      );
      const rows = listed.map(({ value }) => parse<AuditRow>(values.get(value)));
      return { rows, next: rows.length < limit ? undefined : rows.at(-1)?.position };
    },
  };
}
