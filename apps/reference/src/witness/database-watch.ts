import {
  type AcknowledgedChange,
  compareHistory,
  type DatabaseHistory,
  type HistoryComparison,
  type HistoryQuery,
  type HistoryReading,
  type Logger,
  StorageError,
} from "@platform-rpc/server";
import { errorFields } from "../error-fields.js";
import { FatalError } from "../jobs.js";
import { accountSubjects, type Engine, readWitness, type Witness, writeWitness } from "./witness-file.js";

/** How many events of accounts the witness keeps. */
const keptEvents = 1_000;

/** Notices when the database knows less than this process, or is another one. */
export interface DatabaseWatch {
  /** Reads the history of the database, and remembers it if the database may be served. */
  look(): Promise<"served" | "unreadable" | ReplacedDatabase>;
  /** Looks at the database while it is served. @throws ReplacedDatabaseError */
  check(): Promise<void>;
}

/** A database that may not be served until an operator has decided. */
export interface ReplacedDatabase {
  readonly comparison: Exclude<HistoryComparison, "same" | "announced">;
  /** What happened, and what to do. */
  readonly message: string;
}

/** Thrown by the job that looks at the database. The process must stop serving, and then start again. */
export class ReplacedDatabaseError extends FatalError {
  constructor(readonly replaced: ReplacedDatabase) {
    super(replaced.message);
  }
}

export interface DatabaseWatchOptions {
  readonly engine: Engine;
  /** The path of the witness: what this process last knew. */
  readonly file: string;
  /** Undefined: the database is a standby now. */
  readonly read: (query: HistoryQuery) => Promise<HistoryReading | undefined>;
  /** Returns some of the newest changes of items that the process has acknowledged. */
  readonly recentChanges: () => readonly AcknowledgedChange[];
  readonly logger: Logger;
}

/** Creates a watch that continues from what its file says. */
export async function createDatabaseWatch(options: DatabaseWatchOptions): Promise<DatabaseWatch> {
  const { engine, file, read, recentChanges, logger } = options;
  let witness = await readWitness(file, engine);
  /** Whether this process has seen the database empty: then there was nothing to know. */
  let installing = false;
  let unwritable = false;

  async function remember(
    { knownRow: _, knownSeal: __, lostChange: ___, events, ...history }: HistoryReading,
    changes: readonly AcknowledgedChange[],
  ): Promise<void> {
    const before = witness?.history;
    if (before !== undefined && isSame(before, history)) return;
    if (before === undefined && !installing) {
      logger.info(
        { file },
        "there is no witness yet: if this database is older than the one before, that is not noticed. " +
          "It is from now on. If it was restored, begin an epoch: see docs/backup.md.",
      );
    }
    if (before !== undefined && before.timeline !== history.timeline) {
      logger.info({ before: before.timeline, now: history.timeline }, "PostgreSQL failed over, and lost nothing");
    }
    if (before !== undefined && before.announcedAt < history.announcedAt) {
      logger.info({}, "an operator has begun an epoch, or confirmed the database");
    }
    await replace({ history, changes, events: [...(witness?.events ?? []), ...events].slice(-keptEvents) });
  }

  async function replace(next: Witness): Promise<void> {
    witness = next;
    try {
      await writeWitness(file, witness);
      unwritable = false;
    } catch (thrown) {
      if (!unwritable) logger.error({ file, ...errorFields(thrown) }, "the witness cannot be written");
      unwritable = true;
    }
  }

  const look: DatabaseWatch["look"] = async () => {
    const known = witness?.history;
    const recent = recentChanges();
    const changes = recent.length === 0 ? (witness?.changes ?? []) : recent;
    const found = await read({ known, changes, subjects: accountSubjects }).catch((error: unknown) => {
      // The check of the storage reports that.
      if (error instanceof StorageError) return undefined;
      throw error;
    });
    if (found === undefined) return "unreadable";
    const comparison = known === undefined ? "same" : compareHistory(known, found);
    if (comparison === "same" || comparison === "announced") {
      // A database without tables has nothing to remember.
      installing ||= found.newest === undefined;
      if (found.database !== "") await remember(found, comparison === "announced" ? [] : changes);
      return "served";
    }
    // The next process must know what only this one acknowledged.
    if (witness !== undefined && recent.length > 0) await replace({ ...witness, changes: recent });
    return { comparison, message: explain(comparison, { known, found, engine }) };
  };

  return {
    look,
    async check() {
      const found = await look();
      if (typeof found === "object") throw new ReplacedDatabaseError(found);
    },
  };
}

function isSame(a: DatabaseHistory, b: DatabaseHistory): boolean {
  const key = ({ database, timeline, announcedAt, newest, sealed }: DatabaseHistory) =>
    JSON.stringify([database, timeline, announcedAt, newest?.position, sealed?.position]);
  return key(a) === key(b);
}

/** What to do with a database that lacks something. */
const remedies: Readonly<Record<Engine, string>> = {
  PostgreSQL:
    "If it is the wrong database, correct DATABASE_URL. Otherwise stop every process that uses it and run `platform begin-epoch`: " +
    "see docs/backup.md.",
  SQLite:
    "If it is a backup, move it to another folder and run `platform restore` with its path: see docs/backup.md. To start with a new " +
    "database, delete the file of WITNESS_FILE, too.",
};

interface Compared {
  readonly known: DatabaseHistory | undefined;
  readonly found: HistoryReading;
  readonly engine: Engine;
}

/** Says what happened, why nothing is served, and what to do. */
function explain(comparison: ReplacedDatabase["comparison"], { known, found, engine }: Compared): string {
  const { newest, lostChange } = found;
  const knew = recordOf(known?.newest);
  const cause =
    "It was restored to an earlier point" +
    (engine === "PostgreSQL" ? ", or a standby that lagged behind was promoted" : "");
  const decide = `Nothing is served until an operator decides. ${remedies[engine]}`;
  switch (comparison) {
    case "older":
      if (lostChange !== undefined) {
        const { sequence, vaultId, tenantId } = lostChange;
        return (
          `The database lacks a change that this process has acknowledged: sequence ${sequence} of the vault ${vaultId} of the tenant ` +
          `${tenantId}. ${cause}. ${decide}`
        );
      }
      return (
        `The database knows less than this process: it ends with ${recordOf(newest)}, and the process knew ${knew}. ` +
        `${cause}. ${decide}`
      );
    case "different":
      return (
        `The database has another history than the one that this process knew, which had ${knew}. ${cause}, and it was used since. ` +
        decide
      );
    case "another":
      return (
        `The database is another one than before, and has everything that this process knew up to ${knew}. If it was moved on ` +
        "purpose, with every change, run `platform confirm-database`. If it was restored from a dump or a backup, stop every process " +
        "that uses it and run `platform begin-epoch`: see docs/backup.md. Nothing is served until then."
      );
  }
}

function recordOf(newest: DatabaseHistory["newest"]): string {
  if (newest === undefined) return "no record of the audit trail";
  return `record ${newest.position} of the audit trail, of ${new Date(newest.at).toISOString()}`;
}
