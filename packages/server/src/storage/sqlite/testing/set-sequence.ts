import type { DatabaseSync } from "node:sqlite";
import { differenceOf } from "../../checksum.js";
import { vaultIntegers } from "../tables/vaults.js";

/** Sets the newest sequence of a vault. The row keeps a right checksum. */
export function setSequence(database: DatabaseSync, tenantId: string, vaultId: string, sequence: number): void {
  const difference = differenceOf(vaultIntegers, { sequence: ":sequence - sequence" });
  const sql = `UPDATE vaults SET sequence = :sequence, checksum = checksum + ${difference} WHERE tenant_id = :tenantId AND vault_id = :vaultId`;
  database.prepare(sql).run({ tenantId, vaultId, sequence });
}
