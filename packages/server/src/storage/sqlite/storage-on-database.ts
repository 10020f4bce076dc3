import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { unchanged } from "../../domain/model/decision.js";
import { defineRule } from "../../domain/rule.js";
import { refOf, type Storage, StorageError } from "../../ports/storage.js";
import type { Tracing } from "../../ports/tracing.js";
import { createEngine } from "../engine/run-batch.js";
import { createStorageRecorder, type StorageRecorder } from "../figures.js";
import { createRoom } from "../room.js";
import { createCondition } from "./condition.js";
import { createFileWatch } from "./database/file-watch.js";
import { createSqliteDriver } from "./driver.js";
import { createListChanges, createTurns } from "./long-reads.js";
import { createReads } from "./reads.js";
import { createTables } from "./tables/index.js";
import { createWriter, type Writer } from "./writer.js";

const writeNothing = defineRule(() => unchanged(undefined));

export interface StorageOptions {
  /** The largest number of queued calls. Further calls fail with "unavailable". Default: 10 000. */
  readonly queueLimit?: number;
  readonly batchLimit?: number;
  readonly tracing?: Tracing | undefined;
  /** Counts what the storage does. Default: nothing is counted. */
  readonly recorder?: StorageRecorder;
  /** Returns the free bytes of the disk of a file. Default: asks the file system. */
  readonly freeBytes?: (path: string) => number;
}

export interface DatabaseStorageOptions extends StorageOptions {
  /** The pages of the log after which it is copied to the database file. Default: 2000. */
  readonly checkpointPages?: number | undefined;
}

/**
 * Creates the storage on an open database with the newest schema: one connection reads and writes. Closing the storage closes the
 * database.
 *
 * @param damage the error that shows known damage of the database; undefined if none is known.
 */
export function createStorageOnDatabase(
  database: DatabaseSync,
  { checkpointPages, recorder = createStorageRecorder(), ...options }: DatabaseStorageOptions = {},
  damage?: unknown,
): Storage & Pick<OpenStorage, "failed"> {
  const writer = createWriter(database, { checkpointPages, madeCheckpoint: recorder.checkpoint });
  const parts = { reader: { database, close() {} }, writer, recorder, damage, ...options };
  const { storage, failed } = createStorage(parts);
  return { ...storage, failed };
}

interface StorageParts extends Omit<StorageOptions, "recorder"> {
  readonly reader: { readonly database: DatabaseSync; close(): void };
  readonly writer: Writer;
  readonly recorder: StorageRecorder;
  readonly damage: unknown;
}

/** A storage, and what its owner does with it besides. */
export interface OpenStorage {
  readonly storage: Storage;
  /** Reads in one consistent view. @throws StorageError */
  readonly read: <Result>(query: () => Result) => Promise<Result>;
  /** Records what an error means for the storage: that its writer has ended, or that a backup has found damage. */
  readonly failed: (error: StorageError) => void;
}

/** Creates a storage that reads on a connection, and writes by a writer. */
export function createStorage({ reader, writer, recorder, damage, ...options }: StorageParts): OpenStorage {
  const { database } = reader;
  const { queueLimit, batchLimit = 256, tracing } = options;
  const { freeBytes = freeBytesOf } = options;
  const tables = createTables(database);
  const path = database.location();
  const watchFiles = path === null ? () => {} : createFileWatch(path);
  const room = createRoom({ batchLimit, freeBytes: path === null ? undefined : () => freeBytes(path) });
  const condition = createCondition({ watchFiles, onRefused: room.refused, damage });
  const reads = createReads(database, condition.mayAnswer);
  const nextTurn = createTurns();
  const driver = createSqliteDriver({ inView: reads.inView, tables, writer, condition });
  let closing: Promise<void> | undefined;
  const { transact, drained } = createEngine({
    ...{ driver, queueLimit, batchLimit, recorder, tracing },
    // As many batches as there are turns of the event loop: the writer commits together what has arrived.
    inFlightLimit: Number.POSITIVE_INFINITY,
    isClosed: () => closing !== undefined,
    failed: condition.failed,
  });

  /** Does work while the storage is open. Its errors are those of the storage. */
  const whileOpen = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (closing !== undefined) throw new StorageError("unavailable");
    try {
      return await work();
    } catch (error) {
      throw condition.failed(error);
    }
  };
  const whileWritable = <Result>(work: () => Promise<Result>): Promise<Result> =>
    whileOpen(async () => {
      condition.mayAnswer();
      condition.mayWrite();
      return work();
    });
  const read = <Result>(query: () => Result): Promise<Result> => whileOpen(() => reads.soon(query));

  const close = async (): Promise<void> => {
    await drained();
    reads.finish();
    let lost = false;
    try {
      condition.mayAnswer();
    } catch {
      lost = true;
    }
    reader.close();
    await writer.close(!lost).catch((error) => Promise.reject(condition.failed(error)));
    if (lost) condition.mayAnswer();
  };

  const storage: Storage = {
    transact,
    purge: (expiredBefore, limit) => whileWritable(() => writer.purge(expiredBefore, limit)),
    sealAudit: (limit) => whileWritable(() => writer.sealAudit(limit)),
    readBacklog: () => read(tables.backlog),
    readAudit: (position, limit) => read(() => tables.auditSeals.read(position, limit, condition.failed)),
    listAudit: (query) => read(() => tables.auditTrail.list(query)),
    readRecords: (keys) => read(() => keys.map(tables.records.find)),
    listChanges: createListChanges(tables, read, nextTurn),
    listVaults: (query) => read(() => tables.vaults.ofMember(query)),
    listShreddable: (now, limit) => read(() => tables.items.due(now, limit)),
    listRecords: (query) => read(() => tables.records.list(query)),

    // Takes the path of every change: the queue and the database's write lock.
    check: async () => {
      await transact(refOf(), writeNothing());
      await whileOpen(async () => {
        condition.inspect();
        await writer.check(condition.suspect);
      });
      condition.wroteAgain();
      room.require();
    },

    verify: () => whileOpen(writer.verify),

    close: () => {
      closing ??= close();
      return closing;
    },
  };
  return { storage, read, failed: condition.failed };
}

function freeBytesOf(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}
