import { requireOptions } from "@platform-rpc/options";
import { unchanged } from "../../domain/model/decision.js";
import type { AcknowledgedChange } from "../../domain/model/history.js";
import { defineRule } from "../../domain/rule.js";
import type { Lease } from "../../ports/lease.js";
import type { GuessLimiter, RateLimiter } from "../../ports/rate-limiter.js";
import { refOf, type Storage, StorageError } from "../../ports/storage.js";
import { createEngine } from "../engine/run-batch.js";
import { createStorageRecorder, type StorageFigures } from "../figures.js";
import { createRoom } from "../room.js";
import { createAnswerStrangers } from "./answer-strangers.js";
import { createPostgresAuditTrail } from "./audit-trail.js";
import { rejectCell, storageNames } from "./cell.js";
import { createContentCipher } from "./content-cipher.js";
import { type CallFunction, openDatabase, StatementError } from "./database/database.js";
import { isDamage, isDiskError, storageErrorFrom } from "./database/postgres-error.js";
import { createRetry, type Retry } from "./database/retry.js";
import { type CommittedBatch, createPostgresDriver } from "./driver.js";
import { createPostgresLease } from "./lease.js";
import type { KeyCollector } from "./load-keys.js";
import type { LoadedRows } from "./loaded-rows.js";
import { migrate } from "./migrate.js";
import { type PostgresStorageOptions, postgresRules } from "./options.js";
import { createPostgresQueries } from "./queries.js";
import { createPostgresGuessLimiter, createPostgresRateLimiter } from "./rate-limiter.js";
import { createRecentChanges } from "./recent-changes.js";
import { createTenantFence } from "./tenant-fence.js";
import { createPostgresVerification } from "./verification.js";

/** A storage on PostgreSQL. */
export interface PostgresStorage extends Storage {
  /** Whether the server has data checksums. Without them, a bit that changes in an index or a page header can hide rows. */
  readonly dataChecksums: boolean;
  /** Returns counts since the storage was opened, for metrics. */
  figures(): StorageFigures;
  /** Returns some of the newest changes that this storage has acknowledged, for `openPostgresHistory`. */
  recentChanges(): readonly AcknowledgedChange[];
  /** Limits the rates of callers, for all processes of the database together. */
  readonly rateLimiter: RateLimiter;
  /** Counts wrong user codes, for all processes of the database together. */
  readonly guesses: GuessLimiter;
  /** Creates a lease that one of the processes of the database can have. */
  lease(name: string): Lease;
}

const writeNothing = defineRule((_: unknown) => unchanged(undefined));

/**
 * Opens a storage on PostgreSQL 15 or newer, and migrates the database to the newest schema. Any number of processes can use one
 * database.
 *
 * Calls are decided in batches: one statement loads what a batch needs, and one commits it. No session state is used, so
 * PgBouncer in transaction mode can be in between.
 *
 * @example
 * ```ts
 * import { createPostgresStorage } from "@platform-rpc/server/postgres";
 *
 * const storage = await createPostgresStorage({ url: databaseUrl, contentKey: crypto.getRandomValues(new Uint8Array(32)) });
 * const { head } = await storage.listChanges({ tenantId: "acme", vaultId: "personal", afterSequence: 0, limit: 10 });
 * console.log(head);
 * // 0
 * await storage.close();
 * ```
 *
 * @throws TypeError (as a rejection) that names each invalid option and what is expected.
 * @throws PostgresSchemaTooNewError when a newer version of this program has migrated the database.
 * @throws PostgresSchemaTooOldError when a development version of this program created the tables.
 * @throws PostgresOwnerRequiredError when the tables must be created or migrated, and the role of the URL does not own them.
 * @throws PostgresCellError when the database is a cell, and the option `cell` is not set.
 * @throws StorageError "unavailable" when the database cannot be reached, or the migration fails; `cause` says why.
 */
export async function createPostgresStorage(options: PostgresStorageOptions): Promise<PostgresStorage> {
  requireOptions("createPostgresStorage", options, postgresRules);
  const { url, contentKey, cell, connections = 4, timeout = 10_000, retryFor = 5000 } = options;
  const { batchLimit = 256, tracing } = options;
  const recorder = createStorageRecorder();
  const recentChanges = createRecentChanges();
  const name = cell === undefined ? storageNames.of : storageNames.ofCell;
  const database = openDatabase({ url, connections, timeout, recorder, connected: recentChanges.connected, name });
  const retry = createRetry(retryFor, ["again", "unknown"]);
  const retryCommit = createRetry(retryFor, ["again"]);
  let dataChecksums: boolean;
  try {
    dataChecksums = await retry(async () => {
      await migrate(database);
      if (cell === undefined) await rejectCell(database);
      return (await database.call("SELECT current_setting('data_checksums')::boolean")) === true;
    });
  } catch (error) {
    await database.close();
    throw error instanceof StatementError ? storageErrorFrom(error.cause) : error;
  }
  const cipher = createContentCipher(contentKey);
  const fence = createTenantFence(cell);

  /** Damage is remembered until the storage is closed. */
  let damage: StorageError | undefined;
  const noticed = (error: unknown): unknown => {
    if (isDamage(error)) damage ??= error;
    return error;
  };
  /** @throws StorageError "damaged": more writes could spread the damage. */
  const mayWrite = (): void => {
    if (damage !== undefined) throw damage;
  };

  /** Reads the result of a function of the database: only functions of this package are called. */
  const readWith =
    (tries: Retry) =>
    async <Result>(sql: string, ...values: readonly unknown[]): Promise<Result> => {
      try {
        return (await tries(() => database.call(sql, ...values))) as Result;
      } catch (error) {
        throw noticed(storageErrorFrom(error instanceof StatementError ? error.cause : error));
      }
    };
  const read = readWith(retry);
  // Long enough to replace a pooled connection that has ended.
  const readSoon = readWith(createRetry(100, ["again", "unknown"]));
  // What processes share besides the data. Tries again only while a call certainly had no effect.
  const call: CallFunction = (sql, ...values) => whileOpen(() => readWith(retryCommit)(sql, ...values));
  // The disk is that of another machine: only what it refuses shows that it is full, or fails.
  const room = createRoom({ batchLimit });
  const noticeRefusal = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error) => {
      if (isDiskError(error.cause)) room.refused(storageErrorFrom(error.cause));
      throw error;
    });
  const readWhileOpen: CallFunction = (sql, ...values) => whileOpen(() => read(sql, ...values));
  const readOf =
    (tenantIds: readonly string[]): CallFunction =>
    (...statement) =>
      readWhileOpen(...fence.reading(tenantIds, ...statement));
  const queries = createPostgresQueries({ readOf, read: readWhileOpen, served: fence.served, cipher, batchLimit });
  const verify = createPostgresVerification(readWhileOpen);
  const auditTrail = createPostgresAuditTrail({ read: readWhileOpen, readOf, call, noticed });
  const rateLimiter = createPostgresRateLimiter(call);
  // A statement that had no effect can be sent again: it compares what the decisions have read.
  const write = async <Result>(sql: string, ...values: readonly unknown[]): Promise<Result> =>
    (await noticeRefusal(retryCommit(() => database.call(sql, ...values)))) as Result;
  const load = (keys: KeyCollector) =>
    read<LoadedRows>(...fence.reading(keys.tenants(), "SELECT platform_load($1)", keys.toJson()));
  const driver = createPostgresDriver({
    load,
    async commit({ json, tenants }) {
      mayWrite();
      return write<CommittedBatch>(...fence.writing(tenants, "SELECT platform_commit($1)", json));
    },
    cipher,
    acknowledged: recentChanges.acknowledged,
    answerNow: createAnswerStrangers({ load, cipher, batchLimit }),
  });
  let closing: Promise<void> | undefined;
  const engine = createEngine({
    ...{ driver, batchLimit, inFlightLimit: 2, recorder, tracing },
    isClosed: () => closing !== undefined,
    failed(error, ref) {
      fence.notice(ref, error);
      return noticed(error);
    },
  });

  const whileOpen = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closing !== undefined) throw new StorageError("unavailable");
    return work();
  };

  const transact: Storage["transact"] = (ref, rule, transactOptions) => {
    const refusal = fence.refusalOf(ref);
    return refusal === undefined ? engine.transact(ref, rule, transactOptions) : Promise.reject(refusal);
  };

  const close = async (): Promise<void> => {
    rateLimiter.close();
    await engine.drained();
    await database.close();
  };

  return {
    dataChecksums,
    transact,
    figures: recorder.read,
    recentChanges: recentChanges.list,
    rateLimiter,
    guesses: createPostgresGuessLimiter(call),
    lease: (name) => createPostgresLease(call, name),
    ...queries,
    // A content that cannot be decrypted is damaged, too.
    listChanges: (query) => queries.listChanges(query).catch((error) => Promise.reject(noticed(error))),

    purge: (expiredBefore, limit) =>
      whileOpen(async () => {
        mayWrite();
        // Both are housekeeping that is due long before it matters.
        await read<void>("SELECT platform_create_audit_months()");
        return read<number>("SELECT platform_purge($1, $2)", expiredBefore, limit);
      }),

    ...auditTrail,
    async sealAudit(limit) {
      mayWrite();
      return auditTrail.sealAudit(limit);
    },

    check: () =>
      whileOpen(async () => {
        // A server that is away now is reported now.
        const readOnly = await readSoon<boolean>("SELECT current_setting('transaction_read_only')::boolean");
        if (readOnly)
          throw new StorageError("unavailable", { cause: new Error("the database is a read-only standby") });
        await noticeRefusal(readSoon<void>("SELECT platform_check()"));
        await transact(refOf(), writeNothing());
        mayWrite();
        room.require();
      }),

    async verify() {
      await verify().catch((error) => Promise.reject(noticed(error)));
    },

    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
