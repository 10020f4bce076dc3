import { StorageError } from "../../ports/storage.js";
import type { CallFunction } from "./database/database.js";
import { keys, rows, sound, type TableWithChecksum } from "./schema/checksum.js";
import { follows, isIncomplete, recordsVersion } from "./schema/queries.js";

/** Rows that one statement verifies. It takes a few milliseconds. */
const rowsAtOnce = 500;

/** A table, and how its rows are verified. In the SQL, the row is `r`. */
interface VerifiedTable {
  readonly table: TableWithChecksum;
  /** The SQL of whether a row agrees with those of other tables. Default: nothing is compared. */
  readonly agrees?: string;
}

const ofVault = "x.tenant_id = r.tenant_id AND x.vault_id = r.vault_id";
const ofItem = `${ofVault} AND x.item_id = r.item_id`;
const exists = (table: string, where: string) => `EXISTS (SELECT FROM ${table} AS x WHERE ${where})`;

/** Every table. The state is compared with the history: see `sqlite/tables/verification.ts`. */
const verifiedTables: readonly VerifiedTable[] = [
  {
    table: "vaults",
    agrees: `(r.sequence = r.floor OR ${exists("changes", `${ofVault} AND x.sequence = r.sequence`)})
      AND NOT ${exists("changes", `${ofVault} AND x.sequence > r.sequence`)}`,
  },
  { table: "vault_members", agrees: exists("vaults", ofVault) },
  {
    table: "items",
    agrees: `${exists("changes", `${ofItem} AND x.sequence = r.sequence AND x.version = r.version`)}
      AND (r.state <> 'deleted' OR ${exists("tombstones", `${ofItem} AND x.shred_at = r.shred_at`)})
      AND (r.state = 'shredded' OR ${exists("contents", ofItem)} AND ${exists("content_keys", ofItem)})`,
  },
  {
    table: "tombstones",
    agrees: exists("items", `${ofItem} AND x.state = 'deleted' AND x.shred_at = r.shred_at`),
  },
  { table: "contents", agrees: exists("items", `${ofItem} AND x.state <> 'shredded'`) },
  { table: "content_keys", agrees: exists("items", `${ofItem} AND x.state <> 'shredded'`) },
  { table: "earlier_contents", agrees: exists("items", `${ofItem} AND x.state <> 'shredded'`) },
  {
    table: "changes",
    agrees: `${exists("items", `${ofItem} AND ${follows("r", "x")}`)} AND ${exists(
      "vaults",
      // Sequences of the current epoch have no gap.
      `${ofVault} AND (r.sequence <= x.floor + 1 OR ${exists("changes", `${ofVault} AND x.sequence = r.sequence - 1`)})`,
    )}`,
  },
  { table: "records" },
  { table: "audit", agrees: recordsVersion("r") },
  { table: "audit_seals" },
  { table: "arrived_audit" },
  { table: "arrived_audit_seals" },
  { table: "epochs" },
  { table: "tenants" },
];

const smallest = { text: "", integer: "-9223372036854775808" } as const;

interface Verified {
  readonly ok: boolean;
  /** The key of the last row, as texts. Null: there are no more rows. */
  readonly last: readonly string[] | null;
  /** The key of the first damaged row. */
  readonly damaged: readonly string[] | null;
}

function verificationOf({ table, agrees }: VerifiedTable) {
  const key: readonly string[] = keys[table];
  const kinds = new Map<string, string>(Object.entries(rows[table]));
  const kindOf = (column: string) => (kinds.get(column) === "integer" ? "integer" : "text");
  const parameters = key.map(
    (column, index) => `$${index + 1}::text::${kindOf(column) === "integer" ? "bigint" : "text"}`,
  );
  const columns = key.map((column) => `r.${column}`).join(", ");
  // The rows of the audit trail say so themselves.
  const compared =
    agrees === undefined || table === "audit" ? (agrees ?? "true") : `(${agrees} OR ${isIncomplete("r.tenant_id")})`;
  const sql = `
    SELECT json_build_object('ok', coalesce(bool_and(ok), true), 'last', json_agg(last) -> -1,
      'damaged', json_agg(last) FILTER (WHERE NOT ok) -> 0) FROM (
      SELECT (${sound(table, "r")} AND ${compared}) IS TRUE AS ok, json_build_array(${key.map((column) => `r.${column}::text`).join(", ")}) AS last
      FROM ${table} AS r WHERE (${columns}) > (${parameters.join(", ")}) ORDER BY ${columns} LIMIT ${rowsAtOnce}) AS part`;
  return { table, sql, first: key.map((column) => smallest[kindOf(column)]) };
}

/**
 * Creates a function that verifies a part of the database at each call, and starts again at the end. After a damaged row, the next call
 * continues after it. The function returns whether it has come to the end.
 *
 * @throws StorageError "damaged"
 */
export function createPostgresVerification(read: CallFunction): () => Promise<boolean> {
  const tables = verifiedTables.map(verificationOf);
  let index = 0;
  let after: readonly string[] | undefined;
  return async () => {
    for (;;) {
      const table = tables[index];
      if (table === undefined) {
        index = 0;
        return true;
      }
      const { ok, last, damaged } = await read<Verified>(table.sql, ...(after ?? table.first));
      after = last ?? undefined;
      if (last === null) index += 1;
      if (!ok) {
        const cause = new Error("a row does not match its checksum, or the history");
        throw new StorageError("damaged", { cause, damagedRow: `${table.table} ${JSON.stringify(damaged)}` });
      }
      if (last !== null) return false;
    }
  };
}

/** Verifies a whole database. @throws StorageError "damaged" */
export async function verifyPostgresDatabase(read: CallFunction): Promise<void> {
  const verify = createPostgresVerification(read);
  while (!(await verify()));
}
