import { requireOptions } from "@platform-rpc/options";
import { urlRules } from "../option-rules.js";
import { type Database, openDatabase, StatementError } from "./database/database.js";
import { isRefused, storageErrorFrom } from "./database/postgres-error.js";
import { rights } from "./database/rights.js";
import { earlierContents } from "./migrations/0106-earlier-contents.js";
import { schema } from "./schema.js";

/** The version of `schema`. Lower ones are those of development versions, before the first release. */
export const schemaVersion = 105;

/**
 * Changes of the schema since its first release, oldest first: the one at index n leads to the version `schemaVersion` + n + 1. They
 * are forward only. Each is a file in `migrations/`: `pnpm contract` rejects a change of a released one, and of `schema/`. A new version of a function gets a new name, such as `platform_commit_2`,
 * because processes of the version before still call the old one while a new version is rolled out.
 */
export const migrations: readonly string[] = [earlierContents];

/** The newest schema version that this program supports. */
export const newestVersion: number = schemaVersion + migrations.length;

/** Thrown when a newer version of this program has migrated the database, which may contain data unknown to this one. */
export class PostgresSchemaTooNewError extends Error {
  override readonly name = "PostgresSchemaTooNewError";

  constructor(
    /** The schema version of the database. */
    readonly version: number,
    /** The newest schema version that this program supports. */
    readonly newestKnown: number,
  ) {
    super(
      `The PostgreSQL database has schema version ${version}, and this program supports versions up to ${newestKnown}. ` +
        "A newer version of the program has migrated it: start that version, or restore a backup from before the upgrade.",
    );
  }
}

/** Thrown when a development version of this program, from before its first release, created the tables of the database. */
export class PostgresSchemaTooOldError extends Error {
  override readonly name = "PostgresSchemaTooOldError";

  constructor(
    /** The schema version of the database. */
    readonly version: number,
  ) {
    super(
      `The PostgreSQL database has schema version ${version}, of a development version of this program, and cannot be used: ` +
        "give this program an empty database.",
    );
  }
}

/** Thrown when the role in the URL does not own the tables of the database, and the owner is needed. */
export class PostgresOwnerRequiredError extends Error {
  override readonly name = "PostgresOwnerRequiredError";

  constructor(
    /** The schema version of the database. 0: it has no tables. */
    readonly version: number,
    /** The schema version that this program needs. */
    readonly needed: number,
    options?: ErrorOptions,
  ) {
    const found = version === 0 ? "has no tables" : `has schema version ${version}`;
    super(
      version === needed
        ? "Only the role that owns the tables of the PostgreSQL database can do this. Name its URL for this command."
        : `The PostgreSQL database ${found}, this program needs version ${needed}, and the role in its URL cannot change the tables. ` +
            "Run the command migrate-database with the URL of the role that owns the database. Then start the program again.",
      options,
    );
  }
}

/** The advisory lock that makes the migrations of several processes wait for each other: "plat" in ASCII. */
const lockId = 0x706c6174;

/** How long one migration may take, in milliseconds. Longer than any statement of a call: it may have to build an index. */
const migrationTimeout = 24 * 60 * 60 * 1000;

/**
 * Creates the tables of a PostgreSQL database, or migrates them to the newest schema, and gives the role `platform_app`, if it exists,
 * what the app needs. Call it as the role that owns the database, before the app starts as another role. Processes of the version before
 * may be running.
 *
 * @example
 * ```ts
 * import { migratePostgresDatabase } from "@platform-rpc/server/postgres";
 *
 * const { version } = await migratePostgresDatabase({ url: databaseUrl });
 * console.log(version);
 * // 106
 * ```
 *
 * @throws PostgresOwnerRequiredError when the role of the URL does not own the tables.
 * @throws PostgresSchemaTooNewError when a newer version of this program has migrated the database.
 * @throws PostgresSchemaTooOldError when a development version of this program created the tables.
 * @throws StorageError "unavailable" when the database cannot be reached, or the migration fails; `cause` says why.
 */
export async function migratePostgresDatabase(options: {
  /** The URL of the database, as its owner. */
  readonly url: string;
}): Promise<{ readonly version: number }> {
  requireOptions("migratePostgresDatabase", options, urlRules);
  const { url } = options;
  const database = openDatabase({ url, connections: 1, timeout: 60_000, name: "platform migrate-database" });
  try {
    await migrate(database);
    await requireOwner(database);
    await database.withClient((client) => client.query(rights));
    return { version: newestVersion };
  } catch (error) {
    throw error instanceof StatementError ? storageErrorFrom(error.cause) : error;
  } finally {
    await database.close();
  }
}

/** Rejects a role that does not own the tables, before it fails halfway. @throws PostgresOwnerRequiredError */
export async function requireOwner(database: Pick<Database, "call">): Promise<void> {
  const owns = await database.call(
    "SELECT coalesce((SELECT pg_has_role(relowner, 'USAGE')::text FROM pg_class WHERE oid = to_regclass('vaults')), 'no tables')",
  );
  const version = newestVersion;
  if (owns !== "true") throw new PostgresOwnerRequiredError(owns === "no tables" ? 0 : version, version);
}

/**
 * Migrates a database to the newest schema, in one transaction: once, however many processes start. A migration that waits for a lock
 * of a running statement gives up after three seconds, so that it never blocks the calls of running processes for longer, and the
 * start fails.
 *
 * @throws PostgresSchemaTooNewError, PostgresSchemaTooOldError, PostgresOwnerRequiredError, StatementError
 */
export async function migrate(database: Database, steps = migrations): Promise<void> {
  const newest = schemaVersion + steps.length;
  const read = async (): Promise<number> => {
    const exists = await database.call("SELECT to_regclass('schema_version') IS NOT NULL");
    return exists === true ? Number(await database.call("SELECT max(version) FROM schema_version")) : 0;
  };
  const version = await read();
  if (version > newest) throw new PostgresSchemaTooNewError(version, newest);
  if (version > 0 && version < schemaVersion) throw new PostgresSchemaTooOldError(version);
  if (version === newest) return;
  await database
    .withClient(async (client) => {
      await client.query("BEGIN");
      try {
        await client.query("SET LOCAL lock_timeout = '30s'");
        const lock = { text: "SELECT pg_advisory_xact_lock($1)", values: [lockId], query_timeout: migrationTimeout };
        await client.query(lock);
        await client.query("SET LOCAL lock_timeout = '3s'");
        await client.query(
          "CREATE TABLE IF NOT EXISTS schema_version (version integer PRIMARY KEY, at timestamptz NOT NULL)",
        );
        const { rows } = await client.query<{ version: number | null }>(
          "SELECT max(version) AS version FROM schema_version",
        );
        const from = rows[0]?.version ?? 0;
        for (const [index, sql] of [schema, ...steps].entries()) {
          const next = schemaVersion + index;
          if (next <= from) continue;
          const migration = { text: sql, query_timeout: migrationTimeout };
          await client.query(migration);
          await client.query("INSERT INTO schema_version VALUES ($1, now())", [next]);
        }
        await client.query(rights);
        await client.query("COMMIT");
      } catch (error) {
        // It fails if the connection has ended. The first error is the one that says why.
        await client.query("ROLLBACK").catch(() => {});
        throw error;
      }
    })
    .catch((error: unknown) => {
      if (error instanceof StatementError && isRefused(error.cause))
        throw new PostgresOwnerRequiredError(version, newest, { cause: error });
      throw error;
    });
}
