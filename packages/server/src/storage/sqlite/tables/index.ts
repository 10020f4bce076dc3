import type { DatabaseSync } from "node:sqlite";
import type { Write } from "../../../domain/model/decision.js";
import { contentJson, type ItemStatus, noEarlier } from "../../../domain/model/item.js";
import type { StoredRecord } from "../../../domain/model/record.js";
import type { Backlog } from "../../../ports/storage.js";
import { descriptionOf } from "../../engine/apply-write.js";
import { integer, optional } from "../database/columns.js";
import { createAuditSeals } from "./audit-seals.js";
import { createAuditTrail } from "./audit-trail.js";
import { createChangePages } from "./change-pages.js";
import { createChanges } from "./changes.js";
import { createNewVaultFloor } from "./epochs.js";
import type { WrittenContent } from "./item-row.js";
import { createItems } from "./items.js";
import { createRecords } from "./records.js";
import { createVaults } from "./vaults.js";

/** All tables of a database, with their statements prepared once. */
export function createTables(database: DatabaseSync) {
  const changes = createChanges(database);
  return {
    auditSeals: createAuditSeals(database),
    auditTrail: createAuditTrail(database),
    backlog: createBacklog(database),
    changePages: createChangePages(database, changes),
    changes,
    items: createItems(database),
    newVaultFloor: createNewVaultFloor(database),
    records: createRecords(database),
    vaults: createVaults(database),
  };
}

export type Tables = ReturnType<typeof createTables>;

export type StoredWrite =
  | Exclude<Write, { readonly kind: "record" | "change" }>
  | { readonly kind: "change"; readonly item: ItemStatus; readonly content?: WrittenContent | undefined }
  | {
      readonly kind: "record";
      readonly record: StoredRecord;
      /** The revision that is stored before; 0 without a stored record. */
      readonly replaces: number;
    };

/** Returns what is written of a change: text crosses to another thread in a fraction of the time that the object of a content takes. */
export function storedChange({
  kind,
  item,
  content,
  earlier = noEarlier,
}: Extract<Write, { readonly kind: "change" }>): StoredWrite {
  return { kind, item, content: content && { ...descriptionOf(content), json: contentJson(content), earlier } };
}

/** Applies one write. Returns the sequence of a change; undefined for other writes. */
export function applyWrite(tables: Tables, write: StoredWrite): number | undefined {
  const { auditTrail, changes, items, records, vaults } = tables;
  switch (write.kind) {
    case "change": {
      const { item, content } = write;
      const vault = vaults.next(item.tenantId, item.vaultId);
      vaults.advance(vault, changes.append(vault, items.save(vault, item, content), item));
      return vault.head + 1;
    }
    case "shred":
      items.shred(write.item);
      return undefined;
    case "vault":
      vaults.save(write.vault);
      return undefined;
    case "member":
      vaults.setMember(write.tenantId, write.vaultId, write.principalId, write.role);
      return undefined;
    case "record":
      records.save(write.record, write.replaces);
      return undefined;
    case "audit":
      auditTrail.append(write.record);
      return undefined;
  }
}

/** Reads the oldest work of the jobs. Each part is the first entry of an index. */
export function createBacklog(database: DatabaseSync): () => Backlog {
  const select = database.prepare(`
    SELECT
      (SELECT at FROM audit WHERE position > ifnull((SELECT max(position) FROM audit_seals), 0)
        ORDER BY position LIMIT 1) AS unsealed_since,
      (SELECT min(shred_at) FROM tombstones) AS shreddable_from,
      (SELECT min(expires_at) FROM records WHERE expires_at IS NOT NULL) AS expired_from`);
  return () => {
    const row = select.get() ?? {};
    return {
      unsealedSince: optional(integer, row, "unsealed_since"),
      shreddableFrom: optional(integer, row, "shreddable_from"),
      expiredFrom: optional(integer, row, "expired_from"),
    };
  };
}
