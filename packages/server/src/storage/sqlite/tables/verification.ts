import type { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { damagedRow, flag, integer, optional, type Row, requireChecksum, text } from "../database/columns.js";
import { DamagedRowError } from "../database/sqlite-error.js";
import { selectSeals, toAuditSeal } from "./audit-seals.js";
import { toAuditRow } from "./audit-trail.js";
import { createAuditedChanges } from "./audited-changes.js";
import { changeSum, damagedHistory, landmarkSum } from "./changes.js";
import { toEpoch } from "./epochs.js";
import { indexedTables } from "./index-entries.js";
import { followsChange, joinTombstone, toContent, toDescription, toEarlier, toStoredItem } from "./item-row.js";
import { toRecord } from "./records.js";
import { memberChecksum, toVaultRow } from "./vaults.js";

interface VerifiedTable {
  /** Selects the rows, without WHERE. */
  readonly rows: string;
  /** The columns that identify a row, and are selected. Rows are read in their order. */
  readonly key: readonly string[];
  /** @throws DamagedRowError */
  readonly verify: (row: Row) => void;
}

/**
 * Every table. Each row is compared with its checksum, and the state with the history: the newest sequence of a vault with its newest
 * change, each change with the one before it and with the status of its item, and the audit trail with the changes that it describes.
 * Every index is asked for each row of its table.
 */
function verifiedTables(database: DatabaseSync): readonly VerifiedTable[] {
  const audited = createAuditedChanges(database);
  const toItem = (row: Row): void => {
    const ref = { tenantId: "", vaultId: "", itemId: text(row, "item_id") };
    const { sequence } = toStoredItem(integer(row, "vault"), ref, row, () => toContent(row));
    if (sequence > integer(row, "head") || sequence < integer(row, "lowest")) throw damagedHistory();
  };
  return [
    {
      rows: `
        SELECT vaults.*, newest.vault AS newest_vault, newest.sequence AS newest_sequence
        FROM vaults LEFT JOIN changes AS newest ON newest.position = last_change`,
      key: ["vaults.id"],
      verify(row) {
        const { id, head, floor, lastChange } = toVaultRow(text(row, "tenant_id"), text(row, "vault_id"), row);
        const follows =
          lastChange === undefined
            ? head === floor
            : integer(row, "newest_sequence") === head && integer(row, "newest_vault") === id;
        if (!follows) throw damagedHistory();
      },
    },
    {
      rows: "SELECT vault_members.*, vaults.id FROM vault_members LEFT JOIN vaults ON id = vault",
      key: ["vault", "principal_id"],
      verify(row) {
        const checksum = memberChecksum(integer(row, "id"), text(row, "principal_id"), text(row, "role"));
        requireChecksum(row, checksum, "vault_members");
      },
    },
    {
      rows: `
        SELECT items.*, items.id AS item, 0 AS shred_at, items.checksum AS status_checksum, content,
          contents.checksum AS content_checksum, vaults.sequence AS head, 0 AS lowest
        FROM items LEFT JOIN contents ON contents.item = items.id LEFT JOIN vaults ON vaults.id = items.vault`,
      key: ["items.id"],
      verify(row) {
        toItem(row);
        toDescription(row);
        toContent(row);
      },
    },
    {
      rows: `
        SELECT tombstones.*, items.vault, item_id, 'deleted' AS state, deleted_at AS updated_at,
          tombstones.checksum AS status_checksum, vaults.sequence AS head, items.sequence AS lowest
        FROM tombstones LEFT JOIN items ON items.id = item LEFT JOIN vaults ON vaults.id = items.vault`,
      key: ["item"],
      verify: toItem,
    },
    {
      rows: "SELECT contents.item AS item, items.id AS owner, trim(padding) = '' AS blank FROM contents LEFT JOIN items ON items.id = contents.item",
      key: ["item"],
      verify(row) {
        integer(row, "owner");
        if (!flag(row, "blank")) throw damagedRow(row, "contents");
      },
    },
    {
      rows: `
        SELECT earlier_contents.*, ifnull(items.state <> 'shredded' AND trim(padding) = '' AND json_valid(earlier), 0) AS sound
        FROM earlier_contents LEFT JOIN items ON items.id = item`,
      key: ["item"],
      verify(row) {
        toEarlier(row);
        if (!flag(row, "sound")) throw damagedRow(row, "earlier_contents");
      },
    },
    {
      rows: `
        SELECT changes.position AS position, ifnull(changes.checksum = ${changeSum("changes")} AND items.vault = changes.vault
          AND ${followsChange("changes")}
          AND (changes.previous IS NULL OR before.vault = changes.vault AND before.sequence < changes.sequence), 0) AS sound
        FROM changes LEFT JOIN changes AS before ON before.position = changes.previous
        LEFT JOIN items ON items.id = changes.item ${joinTombstone}`,
      key: ["changes.position"],
      verify: requireSound,
    },
    {
      rows: `
        SELECT landmarks.vault AS vault, landmarks.sequence AS sequence, ifnull(landmarks.checksum = ${landmarkSum("landmarks")}
          AND changes.vault = landmarks.vault AND changes.sequence = landmarks.sequence, 0) AS sound
        FROM landmarks LEFT JOIN changes ON changes.position = landmarks.position`,
      key: ["landmarks.vault", "landmarks.sequence"],
      verify: requireSound,
    },
    { rows: "SELECT * FROM records", key: ["tenant_id", "collection", "key"], verify: (row) => void toRecord(row) },
    {
      rows: "SELECT *, (SELECT position FROM audit AS before WHERE before.position = audit.position - 1) AS before FROM audit",
      key: ["position"],
      verify(row) {
        audited(toAuditRow(row));
        // Positions have no gaps.
        if ((optional(integer, row, "before") ?? 0) !== integer(row, "position") - 1) throw damagedHistory();
      },
    },
    { rows: selectSeals, key: ["position"], verify: (row) => void toAuditSeal(row) },
    { rows: "SELECT * FROM epochs", key: ["number"], verify: (row) => void toEpoch(row) },
    ...verifiedIndexes(database),
  ];
}

function verifiedIndexes(database: DatabaseSync): readonly VerifiedTable[] {
  return indexedTables(database).map(({ table, key, found }) => ({
    rows: `SELECT ${key.join(", ")}, ${found} AS sound FROM ${table}`,
    key,
    verify(row) {
      if (!flag(row, "sound")) throw new DamagedRowError(`an index of ${table} does not find a row of it`);
    },
  }));
}

function requireSound(row: Row): void {
  if (!flag(row, "sound")) throw damagedHistory();
}

/**
 * Creates a function that verifies a part of the database at each call, and starts again at the end. After a damaged row, the next call
 * continues with the row after it. The function returns whether it has come to the end.
 *
 * It throws DamagedRowError, or SQLite's error for a malformed page.
 *
 * @param time the duration of a call, in milliseconds. Default: 5, because all other calls wait meanwhile.
 */
export function createVerification(
  database: DatabaseSync,
  time = 5,
  verified = verifiedTables(database),
): () => boolean {
  const tables = verified.map(({ rows, key, verify }) => {
    const columns = key.join(", ");
    const all = database.prepare(`${rows} ORDER BY ${columns}`);
    const later = database.prepare(`${rows} WHERE (${columns}) > (${key.map(() => "?")}) ORDER BY ${columns}`);
    // The first column is one of the table, whatever is joined with it.
    const [{ table } = { table: null }] = all.columns();
    return { table, all, later, key: key.map((column) => column.slice(column.indexOf(".") + 1)), verify };
  });
  let table = 0;
  let after: readonly (string | number)[] | undefined;

  return () => {
    const endsAt = performance.now() + time;
    for (const { table: name, all, later, key, verify } of tables.slice(table)) {
      for (const row of after === undefined ? all.iterate() : later.iterate(...after)) {
        after = key.map((column) => (typeof row[column] === "string" ? text(row, column) : integer(row, column)));
        try {
          verify(row);
        } catch (error) {
          throw located(error, `${name} ${JSON.stringify(after)}`);
        }
        if (performance.now() >= endsAt) return false;
      }
      table += 1;
      after = undefined;
    }
    table = 0;
    return true;
  };
}

/** Adds the place of a row to the error of a damaged one that does not have it. */
function located(error: unknown, row: string): unknown {
  return error instanceof DamagedRowError && error.row === undefined ? new DamagedRowError(error.message, row) : error;
}

/** Looks for damage of the indexes. Returns the error; undefined if none was found within a time in milliseconds. */
export function findDamageOfIndexes(database: DatabaseSync, time: number): unknown {
  try {
    createVerification(database, time, verifiedIndexes(database))();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Verifies a whole database, and returns to the event loop in between. @throws DamagedRowError, or SQLite's error, or that of `check`. */
export async function verifyInParts(database: DatabaseSync, check: () => void): Promise<void> {
  const verify = createVerification(database);
  while (!verify()) {
    check();
    await setImmediate();
  }
}

/** Verifies a whole database. @throws DamagedRowError, or SQLite's error for a malformed page. */
export function verifyDatabase(database: DatabaseSync): void {
  createVerification(database, Number.POSITIVE_INFINITY)();
}
