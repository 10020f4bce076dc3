import type { AuditSeal } from "../../domain/audit-seal.js";
import type { Write } from "../../domain/decision.js";
import type { Tables } from "./tables/index.js";

/** Removes expired records. */
export interface Removal {
  readonly kind: "removal";
  /** Milliseconds since the epoch. */
  readonly expiredBefore: number;
  readonly limit: number;
}

/** Seals rows of the audit trail. */
export interface Sealing {
  readonly kind: "sealing";
  readonly seals: readonly AuditSeal[];
}

/** A write of a decision, or of a job of the storage. */
export type AppliedWrite = Write | Removal | Sealing;

/** Applies one write. Returns the sequence of a change; undefined for other writes. */
export function applyWrite(tables: Tables, write: AppliedWrite): number | undefined {
  const { auditTrail, changes, items, records, vaults } = tables;
  switch (write.kind) {
    case "change": {
      const { item, content } = write;
      const position = vaults.next(item.tenantId, item.vaultId);
      vaults.advance(position, changes.append(position, items.save(position, item, content), item));
      return position.sequence;
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
      records.save(write.record);
      return undefined;
    case "audit":
      auditTrail.append(write.record);
      return undefined;
    case "removal":
      records.removeExpired(write.expiredBefore, write.limit);
      return undefined;
    case "sealing":
      for (const seal of write.seals) tables.auditSeals.append(seal);
      return undefined;
  }
}
