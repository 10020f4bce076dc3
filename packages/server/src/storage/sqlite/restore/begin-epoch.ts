import type { DatabaseSync } from "node:sqlite";
import { lastSequence } from "../../../domain/model/vault.js";
import { checksumOf, differenceOf, sumOf } from "../../checksum.js";
import { type Epoch, epochGap, RestoreError } from "../../epoch.js";
import { integer, text } from "../database/columns.js";
import { createAuditTrail } from "../tables/audit-trail.js";
import { changeSum, landmarkInterval, landmarkSum } from "../tables/changes.js";
import { epochIntegers } from "../tables/epochs.js";
import { statusIntegers } from "../tables/item-row.js";
import { createRecords, toRecord } from "../tables/records.js";
import { vaultIntegers } from "../tables/vaults.js";

export interface VaultHead {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly sequence: number;
}

/** The sequences that the replaced database has assigned, as far as it can be read. */
export interface ReplacedSequences {
  readonly heads: readonly VaultHead[];
  /** Is above every sequence that earlier epochs may have assigned to vaults that the replaced database does not contain. */
  readonly newVaultFloor: number;
}

/** Returns the position of the newest audit record, and when it was written. Undefined: there is none. */
export function newestRecord(database: DatabaseSync): { readonly position: number; readonly at: number } | undefined {
  const newest = database.prepare("SELECT position, at FROM audit ORDER BY position DESC LIMIT 1").get();
  return newest && { position: integer(newest, "position"), at: integer(newest, "at") };
}

/**
 * Begins a new epoch in a restored database, in one transaction. Sequences and versions assigned after the backup are not
 * assigned again, and clients notice the restore.
 *
 * - The sequences of every vault continue above any that may have been assigned: at least `gap` above its own head, and above
 *   its head in the replaced database. If the replaced database does not contain the vault, they continue above what earlier
 *   epochs may have assigned to it. All this also applies to vaults that the backup does not contain, if they are created again.
 * - Every item becomes a change of the new epoch, at a version above any that may have been assigned. Clients fetch it by
 *   pulling changes, and older base versions conflict.
 * - Every record that expires is expired, such as a device authorization, a grant or a session: it may have been used up, revoked or
 *   removed since. Records that never expire stay.
 *
 * @throws RestoreError "exhausted"
 */
export function beginEpoch(
  database: DatabaseSync,
  { gap: given, now, replaced }: { gap: number | undefined; now: number; replaced: ReplacedSequences },
): Epoch {
  const run = (sql: string, parameters: Record<string, number> = {}) => database.prepare(sql).run(parameters);
  const backupAt = newestRecord(database)?.at ?? now;
  const gap = given ?? epochGap(backupAt, now);
  database.exec("BEGIN IMMEDIATE");
  try {
    saveHeads(database, replaced.heads);
    run(
      `UPDATE vaults SET floor = raised, checksum = checksum + ${differenceOf(vaultIntegers, { floor: "raised - floor" })}
       FROM (SELECT id AS raised_vault, max(sequence + :gap, coalesce((SELECT head + 1 FROM temp.replaced_heads AS replaced
           WHERE replaced.tenant_id = vaults.tenant_id AND replaced.vault_id = vaults.vault_id), :newVaultFloor)) AS raised FROM vaults)
       WHERE id = raised_vault`,
      { gap, newVaultFloor: replaced.newVaultFloor },
    );
    rejectExhausted(database);
    run(`
      UPDATE items SET version = floor + 1, sequence = floor + place,
        checksum = checksum + ${differenceOf(statusIntegers, { version: "floor + 1 - version", sequence: "floor + place - sequence" })}
      FROM (SELECT item_states.id AS item, floor, row_number() OVER (PARTITION BY vault ORDER BY item_states.sequence) AS place
        FROM item_states JOIN vaults ON vaults.id = vault)
      WHERE items.id = item`);
    const tombstoneDelta = {
      version: "items.version - tombstones.version",
      sequence: "items.sequence - tombstones.sequence",
    };
    run(`
      UPDATE tombstones SET version = items.version, sequence = items.sequence,
        checksum = tombstones.checksum + ${differenceOf(statusIntegers, tombstoneDelta)}
      FROM items WHERE items.id = item`);
    run(`
      UPDATE vaults SET sequence = head, checksum = checksum + ${differenceOf(vaultIntegers, { sequence: "head - sequence" })}
      FROM (SELECT id AS vault, floor + (SELECT count(*) FROM items WHERE vault = vaults.id) AS head FROM vaults)
      WHERE id = vault`);
    run(
      `INSERT INTO changes (position, vault, sequence, item, version, state, at, previous, checksum)
       SELECT *, ${changeSum("added")} FROM (
         SELECT position, vault, sequence, id AS item, version, state, :now AS at,
           coalesce(lag(position) OVER (PARTITION BY vault ORDER BY sequence), last_change) AS previous
         FROM (SELECT item_states.*, last_change, (SELECT coalesce(max(position), 0) FROM changes)
             + row_number() OVER (ORDER BY vault, item_states.sequence) AS position
           FROM item_states JOIN vaults ON vaults.id = vault)
         ORDER BY position) AS added`,
      { now },
    );
    run(`
      INSERT INTO landmarks (vault, sequence, position, checksum)
      SELECT *, ${landmarkSum("added")} FROM (
        SELECT vault, changes.sequence AS sequence, position FROM changes JOIN vaults ON vaults.id = vault
        WHERE changes.sequence > floor AND changes.sequence % ${landmarkInterval} = 0) AS added`);
    run(`
      UPDATE vaults SET last_change = position,
        checksum = checksum + ${differenceOf(vaultIntegers, { last_change: "position - ifnull(last_change, 0)" })}
      FROM (SELECT vault, max(position) AS position FROM changes GROUP BY vault)
      WHERE vault = vaults.id`);
    const records = createRecords(database);
    for (const row of database.prepare("SELECT * FROM records WHERE expires_at IS NOT NULL").all()) {
      const record = toRecord(row);
      const expiresAt = Math.min(record.expiresAt ?? now, now) - 1;
      records.save({ ...record, expiresAt, revision: record.revision + 1 }, record.revision);
    }
    run(
      `INSERT INTO epochs (${epochIntegers.join(", ")}, checksum)
       SELECT *, ${checksumOf([])} + ${sumOf(epochIntegers)} FROM (
         SELECT coalesce(max(number), 0) + 1 AS number, :now AS began_at, :backupAt AS backup_at, :gap AS gap,
           max(coalesce(max(new_vault_floor), 0) + :gap, :newVaultFloor,
             (SELECT coalesce(max(head) + 1, 0) FROM temp.replaced_heads AS replaced WHERE NOT EXISTS (SELECT 1 FROM vaults
                WHERE vaults.tenant_id = replaced.tenant_id AND vaults.vault_id = replaced.vault_id))) AS new_vault_floor
         FROM epochs)`,
      { now, backupAt, gap, newVaultFloor: replaced.newVaultFloor },
    );
    rejectExhaustedNewVaults(database);
    const number = integer(database.prepare("SELECT max(number) AS number FROM epochs").get() ?? {}, "number");
    createAuditTrail(database).append({
      tenantId: "",
      principalId: "",
      oauthClientId: "",
      tokenId: "",
      operation: "restore",
      requestId: "",
      subjectTenantId: "",
      subject: "database",
      event: "restored: a new epoch",
      versionBefore: number - 1,
      versionAfter: number,
      at: now,
    });
    database.exec("COMMIT");
    return { number, gap, backupAt };
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function saveHeads(database: DatabaseSync, heads: readonly VaultHead[]): void {
  database.exec(
    "CREATE TEMP TABLE replaced_heads (tenant_id TEXT, vault_id TEXT, head INTEGER, PRIMARY KEY (tenant_id, vault_id)) STRICT",
  );
  const insert = database.prepare("INSERT INTO temp.replaced_heads VALUES (?, ?, ?)");
  for (const { tenantId, vaultId, sequence } of heads) insert.run(tenantId, vaultId, sequence);
}

function rejectExhaustedNewVaults(database: DatabaseSync): void {
  const { floor } = database.prepare("SELECT max(new_vault_floor) AS floor FROM epochs").get() ?? {};
  if (Number(floor) < lastSequence) return;
  const message = `New vaults would have no sequences left: sequences end at ${lastSequence}. Restore with a smaller gap.`;
  throw new RestoreError("exhausted", message);
}

function rejectExhausted(database: DatabaseSync): void {
  const exhausted = database
    .prepare(`
      SELECT tenant_id, vault_id FROM vaults
      WHERE floor + (SELECT count(*) FROM items WHERE vault = vaults.id) >= ${lastSequence} LIMIT 1`)
    .get();
  if (exhausted === undefined) return;
  throw new RestoreError(
    "exhausted",
    `The vault ${text(exhausted, "vault_id")} of the tenant ${text(exhausted, "tenant_id")} would have no sequences left: ` +
      `sequences end at ${lastSequence}, and a restore skips those that may have been assigned since the backup. ` +
      "Restore a newer backup, or set the number of sequences to skip if you know how many changes a vault has had since.",
  );
}
