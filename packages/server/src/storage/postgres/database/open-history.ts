import { requireOptions } from "@platform-rpc/options";
import type { AcknowledgedChange, AuditPlace, HistoryQuery, HistoryReading } from "../../../domain/model/history.js";
import { databaseUrl, milliseconds } from "../../option-rules.js";
import { openDatabase, StatementError } from "./database.js";
import { storageErrorFrom } from "./postgres-error.js";

/** Reads the history of a database. */
export interface PostgresHistory {
  /**
   * Reads the history, from one consistent view. Undefined: the server is a standby now, which serves no process.
   *
   * @throws StorageError "unavailable"
   */
  read(query: HistoryQuery): Promise<HistoryReading | undefined>;
  /** Closes the connection. */
  close(): Promise<void>;
}

/** How many of the newest rows of the audit trail are searched for events. */
const searchedRows = 20_000;

/** The result of `platform_history`. */
interface Found {
  readonly installation: string;
  readonly primary: boolean;
  readonly database: string;
  readonly timeline: string | null;
  readonly announcedAt: number;
  readonly newest: readonly [position: number, digest: string, at: number] | null;
  readonly sealed: readonly [position: number, trail: string] | null;
  readonly rowDigest: string | null;
  readonly sealTrail: string | null;
  readonly lostChange: AcknowledgedChange | null;
  readonly events: readonly (readonly [position: number, at: number, subject: string, event: string])[];
}

/**
 * Opens a connection that reads the history of a database. It migrates nothing, and does not count as a process that uses the database:
 * an epoch can begin meanwhile.
 *
 * @example
 * ```ts
 * import { openPostgresHistory } from "@platform-rpc/server/postgres";
 *
 * const history = openPostgresHistory({ url: databaseUrl });
 * const reading = await history.read({ known: undefined, changes: [], subjects: [] });
 * console.log(reading?.announcedAt);
 * // 0
 * await history.close();
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected.
 */
export function openPostgresHistory(options: {
  /** The URL of the database. */
  readonly url: string;
  /** How long to wait for a connection, and then for the statement, in milliseconds. Default: 2000. */
  readonly timeout?: number;
}): PostgresHistory {
  requireOptions("openPostgresHistory", options, { url: databaseUrl, timeout: milliseconds(1) });
  const { url, timeout = 2_000 } = options;
  const database = openDatabase({ url, connections: 1, timeout, name: "platform history" });
  return {
    async read({ known, changes, subjects }) {
      try {
        const exists = "SELECT to_regprocedure('platform_history(bigint, bigint, json, text[], bigint)') IS NOT NULL";
        if ((await database.call(exists)) !== true) return nothing;
        const found = await database.call(
          "SELECT platform_history($1, $2, $3, $4, $5)",
          known?.newest?.position ?? 0,
          known?.sealed?.position ?? 0,
          JSON.stringify(changes),
          subjects.map((start) => `${start.replaceAll(/[\\%_]/g, "\\$&")}%`),
          searchedRows,
        );
        return toReading(found as Found);
      } catch (error) {
        throw storageErrorFrom(error instanceof StatementError ? error.cause : error);
      }
    },
    close: () => database.close(),
  };
}

/** The history of a database without tables, or with those of a development version. */
const nothing: HistoryReading = {
  installation: "",
  database: "",
  timeline: undefined,
  announcedAt: 0,
  newest: undefined,
  sealed: undefined,
  knownRow: undefined,
  knownSeal: undefined,
  lostChange: undefined,
  events: [],
};

function toReading(found: Found): HistoryReading | undefined {
  if (!found.primary) return undefined;
  const { installation, database, announcedAt, newest } = found;
  return {
    installation,
    database,
    announcedAt,
    timeline: found.timeline ?? undefined,
    newest: newest === null ? undefined : { ...placeOf(newest), at: newest[2] },
    sealed: found.sealed === null ? undefined : placeOf(found.sealed),
    knownRow: found.rowDigest ?? undefined,
    knownSeal: found.sealTrail ?? undefined,
    lostChange: found.lostChange ?? undefined,
    events: found.events.map(([position, at, subject, event]) => ({ position, at, subject, event })),
  };
}

function placeOf([position, digest]: readonly [position: number, digest: string, ...rest: number[]]): AuditPlace {
  return { position, digest };
}
