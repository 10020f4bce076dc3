import type { DatabaseSync } from "node:sqlite";
import { type Storage, StorageError } from "../../ports/storage.js";
import { integer } from "./columns.js";
import { createCondition } from "./condition.js";
import { evenOut, refuses } from "./even-refusal.js";
import { createFileWatch } from "./file-watch.js";
import { createFlushQueue } from "./flush-queue.js";
import { createGroupCommit, type PendingCall } from "./group-commit.js";
import { loadSnapshot } from "./load-snapshot.js";
import { createTables } from "./tables/index.js";
import { createTruncateLog } from "./truncate-log.js";
import { createVerification } from "./verification.js";

export interface QueueLimits {
  /** Calls that may wait for their commit; one more fails as "unavailable". Default: 10 000. */
  readonly queueLimit?: number;
  /** Calls that are committed together. Default: 256. */
  readonly batchLimit?: number;
}

/**
 * The storage on a database that is open and at the newest schema. It closes the database when it is closed.
 *
 * @param damage what is known to be damaged; undefined when nothing is.
 */
export function createStorageOnDatabase(
  database: DatabaseSync,
  { queueLimit = 10_000, batchLimit = 256 }: QueueLimits = {},
  damage?: unknown,
): Storage {
  const tables = createTables(database);
  const path = database.location();
  const truncateLog = createTruncateLog(database);
  const watchFiles = path === null ? () => {} : createFileWatch(path);
  const condition = createCondition({ watchFiles, truncateLog, damage });
  const verification = createVerification(database);
  const flush = createGroupCommit(database, tables, condition);
  const queue = createFlushQueue<PendingCall>({ queueLimit, batchLimit, flush });
  let closing: Promise<void> | undefined;

  /** A read outside of any transaction: nothing runs in between, so that it is one consistent view. */
  const read = async <T>(query: () => T): Promise<T> => {
    if (closing !== undefined) throw new StorageError("unavailable");
    condition.mayAnswer();
    return available(query);
  };

  const available = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw condition.failed(error);
    }
  };

  const close = async (): Promise<void> => {
    await queue.drained();
    try {
      condition.mayAnswer();
      available(truncateLog);
    } finally {
      database.close();
    }
  };

  const transact: Storage["transact"] = (ref, decide, { wanted = () => true } = {}) =>
    new Promise((resolve, reject) => {
      const queued =
        closing === undefined &&
        queue.push({
          wanted,
          decide() {
            const startedAt = performance.now();
            const snapshot = available(() => loadSnapshot(tables, ref));
            // A content that is loaded here may turn out to be damaged.
            const { outcome, writes } = available(() => decide(snapshot));
            if (refuses(ref, writes)) evenOut(startedAt);
            return { writes, succeed: (sequence) => resolve({ outcome, sequence }) };
          },
          fail(reason) {
            reject(condition.failed(reason));
          },
        });
      if (!queued) reject(new StorageError("unavailable"));
    });

  return {
    transact,

    readAccess: ({ tenantId, principalId, oauthClientId, tokenId, grantId }) =>
      read(() => ({
        oauthClient: tables.oauthClients.find(tenantId, oauthClientId),
        principalActive: tables.principals.active(tenantId, principalId),
        revoked: tables.grants.tokenRevoked(tokenId, grantId),
      })),

    listChanges: (query) =>
      read(() => {
        const found = tables.vaults.find(query.tenantId, query.vaultId);
        if (found === undefined) return { vault: undefined, head: 0, reached: false, items: [], hasMore: false };
        const { vault, head } = found;
        const reached = tables.changes.reached(found, query.afterSequence);
        return { vault, head, reached, ...tables.items.changedAfter(found, query) };
      }),

    listShreddable: (now, limit) => read(() => tables.items.due(now, limit)),

    // The way of every change: through the queue, and with the database's write lock.
    check: async () => {
      await transact({ kind: "nothing" }, () => ({ outcome: undefined, writes: [] }));
      await read(condition.inspect);
      if (condition.suspect) await read(() => rewriteHeader(database));
      condition.wroteAgain();
    },

    verify: () => read(verification),

    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** The smallest write there is: it changes nothing, and fails where writes fail. */
function rewriteHeader(database: DatabaseSync): void {
  const version = integer(database.prepare("PRAGMA user_version").get() ?? {}, "user_version");
  database.exec(`PRAGMA user_version = ${version}`);
}
