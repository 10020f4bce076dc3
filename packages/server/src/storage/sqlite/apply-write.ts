import type { Write } from "../../domain/model/decision.js";
import type { StoredRecord } from "../../domain/model/record.js";
import type { Tables } from "./tables/index.js";

export type StoredWrite =
  | Exclude<Write, { readonly kind: "record" }>
  | {
      readonly kind: "record";
      readonly record: StoredRecord;
      /** The revision that is stored before; 0 without a stored record. */
      readonly replaces: number;
    };

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
