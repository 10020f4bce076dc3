import { isPromise, must, nested, type OptionRules } from "@platform-rpc/options";
import type { Tracing } from "../../ports/tracing.js";
import { count, databaseUrl, ids, milliseconds, tracing } from "../option-rules.js";

/** Options of the storage of a cell. */
export interface CellOptions {
  /** Tenants that every cell has, and that never move, such as that of the administrators. */
  readonly ownTenants: readonly string[];
}

/** Where the database is, and the limits of the storage. */
export interface PostgresStorageOptions {
  /** The URL of the database, such as `postgres://user:password@host:5432/platform`. */
  readonly url: string;
  /**
   * 32 random bytes or more, kept outside the database. Contents of items are encrypted at rest with keys that are derived from it:
   * without it they cannot be read. Every process of one database needs the same. While a promise is pending, contents can neither be
   * read nor written: calls that need one fail with "unavailable".
   */
  readonly contentKey: Uint8Array | Promise<Uint8Array>;
  /**
   * Makes the storage serve only the tenants that are assigned to this database, a cell: see `openPostgresCell`. Calls about others fail
   * with "not_served". Default: all tenants are served.
   */
  readonly cell?: CellOptions | undefined;
  /** The largest number of connections. Default: 4. */
  readonly connections?: number;
  /** The largest number of calls in one batch. Default: 256. */
  readonly batchLimit?: number;
  /** How long to wait for a connection, and then for a statement, in milliseconds. Default: 10 000. */
  readonly timeout?: number;
  /** How long a statement that had no effect is tried again while the server cannot be reached, in milliseconds. Default: 5000. */
  readonly retryFor?: number;
  /** Traces the batches. Default: they are not traced. */
  readonly tracing?: Tracing | undefined;
}

const isKey = (value: unknown) => isPromise(value) || (value instanceof Uint8Array && value.length >= 32);

export const postgresRules: OptionRules<PostgresStorageOptions> = {
  url: databaseUrl,
  contentKey: must("be a Uint8Array of 32 bytes or more, or a promise of one", isKey),
  cell: nested({ ownTenants: ids } satisfies OptionRules<CellOptions>),
  connections: count,
  batchLimit: count,
  timeout: milliseconds(1),
  retryFor: milliseconds(0),
  tracing,
};
