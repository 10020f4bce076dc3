import type { AuditSeal } from "../../domain/audit-seal.js";
import type { Write } from "../../domain/decision.js";
import type { Grant } from "../../domain/grant.js";
import type { Tables } from "./tables/index.js";
import type { RecordKey } from "./tables/records.js";

/** Removes expired rows. */
export interface Removal {
  readonly kind: "removal";
  /** The hashes of device codes. */
  readonly authorizations: readonly string[];
  readonly grants: readonly Grant[];
  readonly records: readonly RecordKey[];
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
  const { auditTrail, changes, deviceAuthorizations, grants, items, oauthClients, principals, records, vaults } =
    tables;
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
    case "deviceAuthorization":
      deviceAuthorizations.save(write.authorization);
      return undefined;
    case "grant":
      grants.add(write.grant);
      return undefined;
    case "revocation":
      grants.revoke(write.subjectId, write.at);
      return undefined;
    case "oauthClient":
      oauthClients.save(write.oauthClient);
      return undefined;
    case "principal":
      principals.save(write.principal);
      return undefined;
    case "record":
      records.save(write.record);
      return undefined;
    case "audit":
      auditTrail.append(write.record);
      return undefined;
    case "removal":
      for (const deviceCodeHash of write.authorizations) deviceAuthorizations.remove(deviceCodeHash);
      for (const grant of write.grants) grants.remove(grant);
      for (const record of write.records) records.remove(record);
      return undefined;
    case "sealing":
      for (const seal of write.seals) tables.auditSeals.append(seal);
      return undefined;
  }
}
