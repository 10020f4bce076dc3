import { rename } from "node:fs/promises";
import { errorFields } from "@platform-rpc/front/errors";
import { type Logger, StorageError } from "@platform-rpc/server";
import {
  type AcknowledgedChange,
  compareHistory,
  type DatabaseHistory,
  type HistoryComparison,
  type HistoryQuery,
  type HistoryReading,
} from "@platform-rpc/server/host";
import { FatalError } from "../process/jobs.js";
import {
  accountSubjects,
  type Engine,
  isUndoable,
  readWitness,
  type Witness,
  WitnessDamagedError,
  writeWitness,
} from "./witness-file.js";

const keptEvents = 1_000;

/** Notices when the database knows less than this process, or is another one. */
export interface DatabaseWatch {
  /** Reads the history of the database, and remembers it if the database may be served. Resolves with an error if it cannot be read. */
  look(): Promise<"served" | StorageError | ReplacedDatabase>;
  /** Returns what the process knows of the database. Undefined: nothing. */
  readonly witness: () => Witness | undefined;
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
  constructor(
    readonly replaced: ReplacedDatabase,
    /** What this process knew, for the next start: another process may have replaced the file. */
    readonly witness: Witness | undefined,
  ) {
    super(replaced.message);
  }
}

export interface DatabaseWatchOptions {
  readonly engine: Engine;
  /** What the process knew before it started again. Default: what the file says. */
  readonly witness?: Witness | undefined;
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
  /** Whether a missing witness is explained: it was damaged, or this process has seen the database empty, of which there was nothing to know. */
  let installing = false;
  let witness = options.witness ?? (await readWitness(file, engine).catch(keepDamaged));
  /** Whether this process has written the file: those of earlier versions have no checksum. */
  let written = false;
  let unwritable = false;
  /** How often in succession the history could not be read. */
  let unread = 0;
  /** What was acknowledged before the history could no longer be read. Until it can, newer changes must not replace these. */
  let unconfirmed: readonly AcknowledgedChange[] = [];

  async function keepDamaged(error: unknown): Promise<undefined> {
    if (!(error instanceof WitnessDamagedError)) throw error;
    installing = true;
    const kept = `${file}.damaged`;
    await rename(file, kept);
    logger.error(
      { kept },
      `${error.message} Until now, an older database would not have been noticed. A new witness is written.`,
    );
  }

  async function remember(
    { knownRow: _, knownSeal: __, lostChange: ___, events, ...history }: HistoryReading,
    changes: readonly AcknowledgedChange[],
  ): Promise<void> {
    const before = witness?.history;
    if (before !== undefined && written && isSame(before, history)) return;
    if (before === undefined && !installing) {
      logger.info(
        { file },
        "there is no witness yet: if this database is older than the one before, that is not noticed. " +
          'It is from now on. If it was restored, begin an epoch: see "Backup and restore" in the documentation.',
      );
    }
    if (before !== undefined && before.timeline !== history.timeline) {
      logger.info({ before: before.timeline, now: history.timeline }, "PostgreSQL failed over, and lost nothing");
    }
    if (before !== undefined && before.announcedAt < history.announcedAt) {
      logger.info({}, "an operator has begun an epoch, or confirmed the database");
    }
    // What an epoch has undone must not be undone again.
    const kept = before?.announcedAt === history.announcedAt ? (witness?.events ?? []) : [];
    await replace({ history, changes, events: [...kept, ...events.filter(isUndoable)].slice(-keptEvents) });
  }

  async function replace(next: Witness): Promise<void> {
    witness = next;
    try {
      await writeWitness(file, witness);
      written = true;
      unwritable = false;
    } catch (thrown) {
      if (!unwritable) logger.error({ file, ...errorFields(thrown) }, "the witness cannot be written");
      unwritable = true;
    }
  }

  const look: DatabaseWatch["look"] = async () => {
    const known = witness?.history;
    const recent = recentChanges();
    const newest = recent.length === 0 ? (witness?.changes ?? []) : recent;
    const changes = [...unconfirmed, ...newest];
    if (unconfirmed.length === 0) unconfirmed = newest;
    let found: HistoryReading | undefined;
    try {
      found = await read({ known, changes, subjects: accountSubjects });
    } catch (error) {
      if (error instanceof StorageError) return error;
      throw error;
    }
    if (found === undefined) return new StorageError("unavailable", { cause: new Error("the server is a standby") });
    unconfirmed = [];
    const comparison = known === undefined ? "same" : compareHistory(known, found);
    if (comparison === "same" || comparison === "announced") {
      // A database without tables has nothing to remember.
      installing ||= found.newest === undefined;
      if (found.database !== "") await remember(found, comparison === "announced" ? [] : newest);
      return "served";
    }
    // The next process must know what only this one acknowledged.
    if (witness !== undefined && recent.length > 0) await replace({ ...witness, changes });
    return { comparison, message: explain(comparison, { known, found, engine }) };
  };

  return {
    look,
    witness: () => witness,
    async check() {
      const found = await look();
      unread = found instanceof StorageError ? unread + 1 : 0;
      // The check of the storage reports an outage. A history that alone cannot be read is reported here, once a minute.
      if (found instanceof StorageError && unread % 60 === 0) throw found;
      if (found !== "served" && !(found instanceof StorageError)) throw new ReplacedDatabaseError(found, witness);
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
    'see "Backup and restore" in the documentation.',
  SQLite:
    'If it is a backup, move it to another folder and run `platform restore` with its path: see "Backup and restore" in the ' +
    "documentation. To start with a new database, delete the file of WITNESS_FILE, too.",
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
    case "foreign":
      return (
        "The database belongs to another installation. Nothing is served from it: correct DATABASE_URL, or DATA_DIR. To use this " +
        "database all the same, delete the file of WITNESS_FILE."
      );
    case "another":
      return (
        `The database is another one than before, and has everything that this process knew up to ${knew}. If it was moved on ` +
        "purpose, with every change, run `platform confirm-database`. If it was restored from a dump or a backup, stop every process " +
        'that uses it and run `platform begin-epoch`: see "Backup and restore" in the documentation. Nothing is served until then.'
      );
  }
}

function recordOf(newest: DatabaseHistory["newest"]): string {
  if (newest === undefined) return "no record of the audit trail";
  return `record ${newest.position} of the audit trail, of ${new Date(newest.at).toISOString()}`;
}
