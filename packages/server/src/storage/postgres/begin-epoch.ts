import { setTimeout } from "node:timers/promises";
import { type OptionRules, optional, requireOptions } from "@platform-rpc/options";
import pg from "pg";
import { lastSequence } from "../../domain/model/vault.js";
import { type Epoch, epochGap, RestoreError } from "../epoch.js";
import { databaseUrl, gap as gapRule, time } from "../option-rules.js";
import { storageNames } from "./cell.js";
import { openDatabase } from "./database/database.js";
import { isDamage } from "./database/postgres-error.js";
import { migrate, requireOwner } from "./migrate.js";
import { verifyPostgresDatabase } from "./verification.js";

/** The restored database. */
export interface BeginEpochOptions {
  /** The URL of the database. */
  readonly url: string;
  /** The time, in milliseconds since the Unix epoch. */
  readonly now: number;
  /**
   * The number of sequences that every vault skips, because they may have been assigned after the point that was restored. Default:
   * about 2^24, plus 100 for each second since the newest audit record.
   */
  readonly gap?: number | undefined;
  /**
   * The newest time of an epoch that a process knows of, in milliseconds since the Unix epoch: the new one is later, although the clock
   * of the other machine may have been ahead. Default: that of the newest epoch in the database.
   */
  readonly after?: number | undefined;
}

const confirmRules: OptionRules<ConfirmDatabaseOptions> = { url: databaseUrl, now: time, after: optional(time) };

/**
 * Begins a new epoch in a PostgreSQL database that was restored to an earlier point, in one transaction. Call it once after each
 * restore, before a storage is opened. Sequences and versions that were assigned after that point are not assigned again, clients
 * fetch every item, no earlier token or device code is accepted, and every record that expires is expired.
 *
 * @throws RestoreError "in_use" when a storage is open on the database; "damaged"; "exhausted".
 * @throws PostgresSchemaTooNewError when a newer version of this program has migrated the database.
 * @throws PostgresSchemaTooOldError when a development version of this program created the tables.
 * @throws PostgresOwnerRequiredError when the role of the URL does not own the tables.
 */
export async function beginPostgresEpoch(options: BeginEpochOptions): Promise<Epoch> {
  requireOptions("beginPostgresEpoch", options, { ...confirmRules, gap: gapRule });
  const { url, now, gap: given, after } = options;
  const database = openDatabase({ url, connections: 1, timeout: 60_000, name: "platform begin-epoch" });
  await migrate(database)
    .then(() => requireOwner(database))
    .finally(() => database.close());
  const client = new pg.Client({ connectionString: url, application_name: "platform begin-epoch" });
  // A statement that is under way fails too.
  client.on("error", () => {});
  await client.connect();
  try {
    // PostgreSQL still lists a closed connection for a moment, such as that of the migration.
    for (let tries = 0; tries < 30 && (await isInUse(client)); tries += 1) await setTimeout(100);
    await client.query("BEGIN");
    await client.query("LOCK TABLE vaults, items IN ACCESS EXCLUSIVE MODE");
    // The gap may be too small for what a process has assigned since the restore.
    if (await isInUse(client)) {
      throw new RestoreError(
        "in_use",
        "The platform uses the database. Stop every process of it, and begin the epoch again.",
      );
    }
    await rejectDamaged(client);
    const { rows } = await client.query<{ at: string | null }>("SELECT max(at) AS at FROM audit");
    const newest = rows[0]?.at ?? null;
    const backupAt = newest === null ? now : Number(newest);
    const gap = given ?? epochGap(backupAt, now);
    await skipSequences(client, { gap, now });
    await endRecords(client, now);
    const number = await recordEpoch(client, {
      gap,
      now,
      after,
      backupAt,
      operation: "restore",
      event: "restored: a new epoch",
    });
    await client.query("COMMIT");
    return { number, gap, backupAt };
  } finally {
    await client.end();
  }
}

/** The database to confirm. */
export type ConfirmDatabaseOptions = Pick<BeginEpochOptions, "url" | "now" | "after">;

/**
 * Records that an operator confirms a PostgreSQL database: it has every change that was acknowledged, although it is another one than
 * before, such as after a move to another server. Nothing else changes: sequences continue, and tokens stay valid. The platform may be
 * running.
 *
 * @throws PostgresSchemaTooNewError when a newer version of this program has migrated the database.
 * @throws PostgresSchemaTooOldError when a development version of this program created the tables.
 * @throws PostgresOwnerRequiredError when the role of the URL does not own the tables.
 */
export async function confirmPostgresDatabase(options: ConfirmDatabaseOptions): Promise<void> {
  requireOptions("confirmPostgresDatabase", options, confirmRules);
  const { url, now, after } = options;
  const database = openDatabase({ url, connections: 1, timeout: 60_000, name: "platform confirm-database" });
  await migrate(database)
    .then(() => requireOwner(database))
    .finally(() => database.close());
  const client = new pg.Client({ connectionString: url, application_name: "platform confirm-database" });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("BEGIN");
    await recordEpoch(client, { gap: 0, now, after, backupAt: now, operation: "confirm-database", event: "confirmed" });
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
}

/** Rejects a database with a damaged row: the epoch would give it a new checksum. @throws RestoreError "damaged" */
async function rejectDamaged(client: pg.Client): Promise<void> {
  try {
    await verifyPostgresDatabase(async <Result>(text: string, ...values: readonly unknown[]) => {
      const { rows } = await client.query<Result[]>({ text, values: [...values], rowMode: "array" });
      return rows[0]?.[0] as Result;
    });
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    const message = "The database is damaged. Restore another base backup, or an earlier point in time.";
    throw new RestoreError("damaged", message, { cause });
  }
}

/** Returns whether a storage has a connection to the database. */
async function isInUse(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = ANY ($1) LIMIT 1",
    [Object.values(storageNames)],
  );
  return rows.length > 0;
}

/** Whether a row is not of a tenant that has left this cell, or is on its way to it: the other cell has its newest history. */
const isHere = (table: string) =>
  `NOT EXISTS (SELECT FROM tenants AS t WHERE t.tenant_id = ${table}.tenant_id AND t.state IN ('moved', 'arriving'))`;

/** Makes every item a change of the new epoch, with a sequence and a version above the gap. @throws RestoreError "exhausted" */
async function skipSequences(client: pg.Client, { gap, now }: { gap: number; now: number }): Promise<void> {
  await client.query(`UPDATE vaults SET floor = sequence + $1 WHERE ${isHere("vaults")}`, [gap]);
  const { rows } = await client.query<{ name: string }>(
    `SELECT 'The vault ' || vault_id || ' of the tenant ' || tenant_id AS name FROM vaults WHERE floor + (
       SELECT count(*) FROM items WHERE items.tenant_id = vaults.tenant_id AND items.vault_id = vaults.vault_id) >= $1
       AND ${isHere("vaults")} LIMIT 1`,
    [lastSequence],
  );
  if (rows[0] !== undefined) throw exhausted(rows[0].name);
  await client.query(`
    UPDATE items SET version = place.floor + 1, sequence = place.floor + place.number
    FROM (SELECT items.tenant_id, items.vault_id, item_id, floor,
        row_number() OVER (PARTITION BY items.tenant_id, items.vault_id ORDER BY items.sequence) AS number
      FROM items JOIN vaults ON vaults.tenant_id = items.tenant_id AND vaults.vault_id = items.vault_id) AS place
    WHERE items.tenant_id = place.tenant_id AND items.vault_id = place.vault_id AND items.item_id = place.item_id
      AND ${isHere("items")}`);
  await client.query(
    `INSERT INTO changes (tenant_id, vault_id, sequence, item_id, version, state, at)
     SELECT tenant_id, vault_id, sequence, item_id, version, state, $1 FROM items WHERE ${isHere("items")}`,
    [now],
  );
  await client.query(`
    UPDATE vaults SET sequence = floor + (
      SELECT count(*) FROM items WHERE items.tenant_id = vaults.tenant_id AND items.vault_id = vaults.vault_id)
    WHERE ${isHere("vaults")}`);
}

/**
 * Ends every record that expires: it may have been used up, revoked or removed after the point that was restored. It ends before its time,
 * so that it does not come back when the clock is set back.
 */
async function endRecords(client: pg.Client, now: number): Promise<void> {
  await client.query(
    "UPDATE records SET expires_at = least(expires_at, $1) - 1, revision = revision + 1 WHERE expires_at IS NOT NULL",
    [now],
  );
}

interface RecordedEpoch extends Omit<Epoch, "number"> {
  readonly now: number;
  readonly after: number | undefined;
  readonly operation: string;
  readonly event: string;
}

/** Records the epoch. Returns its number. @throws RestoreError "exhausted" */
async function recordEpoch(
  client: pg.Client,
  { gap, now, after = 0, backupAt, ...recorded }: RecordedEpoch,
): Promise<number> {
  const { rows } = await client.query<{ number: number; floor: string }>(
    `INSERT INTO epochs (number, began_at, backup_at, gap, new_vault_floor)
     SELECT coalesce(max(number), 0) + 1, greatest($1, $4::bigint + 1, coalesce(max(began_at), 0) + 1), $2, $3, coalesce(max(new_vault_floor), 0) + $3 FROM epochs
     RETURNING number::integer AS number, new_vault_floor AS floor`,
    [now, backupAt, gap, after],
  );
  const { number = 0, floor = "0" } = rows[0] ?? {};
  if (Number(floor) >= lastSequence) throw exhausted("A new vault");
  await client.query(
    `INSERT INTO audit (subject_tenant_id, at, tenant_id, principal_id, oauth_client_id, token_id, operation, request_id, subject,
       event, version_before, version_after)
     VALUES ('', $1, '', '', '', '', $4, '', 'database', $5, $2, $3)`,
    [now, number - 1, number, recorded.operation, recorded.event],
  );
  return number;
}

function exhausted(vault: string): RestoreError {
  return new RestoreError(
    "exhausted",
    `${vault} would have no sequences left: sequences end at ${lastSequence}, and an epoch skips those that may have been assigned. ` +
      "Nothing was changed. Set the number of sequences to skip if you know how many changes a vault has had since.",
  );
}
