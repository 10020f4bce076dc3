import { StorageError } from "../../ports/storage.js";
import { createCommitPayload } from "./commit-payload.js";
import type { ContentCipher } from "./content-cipher.js";
import { type Database, StatementError } from "./database.js";
import { type DecidedBatch, type DecidedCall, decideBatch } from "./decide-batch.js";
import { createKeyCollector } from "./load-keys.js";
import type { LoadedRows } from "./loaded-rows.js";
import { type PendingCall, tryAgain } from "./pending-call.js";
import { isUniqueViolation, storageErrorFrom } from "./postgres-error.js";
import { NotLoadedError } from "./rows.js";

/** The result of `platform_commit_1`. */
interface CommitResult {
  readonly stale: readonly number[];
  readonly sequences: readonly (readonly [change: number, sequence: number])[] | null;
}

/** How often a call is decided again after its write failed, because another process inserted the same row. */
const insertTries = 4;

/**
 * Creates the function that runs a batch of calls: one statement loads, the rules decide, one statement compares and commits. Calls
 * that write nothing are resolved without the second. Returns the calls that must be decided again.
 */
export function createRunBatch(
  database: Pick<Database, "call">,
  cipher: ContentCipher,
  load: (keys: string) => Promise<LoadedRows>,
) {
  const runBatch = async (calls: readonly PendingCall[]): Promise<readonly PendingCall[]> => {
    try {
      const batch = await loadAndDecide(calls);
      const writing = new Set(batch.decided.filter(({ writes }) => writes.length > 0).map(({ group }) => group));
      for (const { call, outcome, group } of batch.decided) if (!writing.has(group)) call.succeed(outcome, undefined);
      const writers = batch.decided.filter(({ group }) => writing.has(group));
      return writers.length === 0 ? [] : await commit(batch, writers);
    } catch (error) {
      for (const call of calls) call.fail(storageErrorFrom(error));
      return [];
    }
  };

  /** Loads and decides until every row that the decisions need was loaded, all in one statement. */
  const loadAndDecide = async (calls: readonly PendingCall[]): Promise<DecidedBatch> => {
    const keys = createKeyCollector();
    for (const { ref } of calls) keys.addRef(ref);
    for (;;) {
      const loaded = await load(keys.toJson());
      try {
        return decideBatch(calls, loaded, cipher);
      } catch (error) {
        if (!(error instanceof NotLoadedError)) throw error;
        keys.addMissing(error);
      }
    }
  };

  const commit = async ({ set }: DecidedBatch, calls: readonly DecidedCall[]): Promise<readonly PendingCall[]> => {
    const { json, changes } = createCommitPayload(set, calls);
    let result: CommitResult;
    try {
      // Only this function of ours returns it.
      result = (await database.call("SELECT platform_commit_1($1)", json)) as CommitResult;
    } catch (error) {
      return failed(calls, error);
    }
    const { stale } = result;
    const sequences = new Map((result.sequences ?? []).map(([change, sequence]) => [changes[change], sequence]));
    return calls.flatMap((decided) => {
      const { call, outcome, writes, group } = decided;
      if (stale.includes(group)) return tryAgain(call) ?? [];
      if (writes.length === 0 && !asExpected(calls, group, sequences)) return call;
      call.succeed(outcome, sequences.get(decided));
      return [];
    });
  };

  /** Ends or repeats the calls of a commit that failed. */
  const failed = async (calls: readonly DecidedCall[], error: unknown): Promise<readonly PendingCall[]> => {
    const failure = error instanceof StatementError ? error.failure : "rejected";
    const inserted = error instanceof StatementError && isUniqueViolation(error.cause);
    if (failure === "again" && !inserted) return calls.flatMap(({ call }) => tryAgain(call) ?? []);
    const groups = new Map<number, PendingCall[]>();
    for (const { group, call } of calls) groups.set(group, [...(groups.get(group) ?? []), call]);
    if (failure === "rejected" || inserted) {
      // One of the groups is the cause. Each gets a commit of its own.
      if (groups.size > 1) {
        const again: PendingCall[] = [];
        for (const each of groups.values()) again.push(...(await runBatch(each)));
        return again;
      }
      if (inserted) {
        return calls.flatMap(({ call }) => {
          if (call.tries < insertTries) return tryAgain(call) ?? [];
          call.fail(storageErrorFrom(error.cause));
          return [];
        });
      }
    }
    const cause = error instanceof StatementError ? error.cause : error;
    for (const { call } of calls)
      call.fail(failure === "unknown" ? new StorageError("unavailable", { cause }) : storageErrorFrom(cause));
    return [];
  };

  return runBatch;
}

/** Returns whether the changes of a group got the sequences that its later decisions have seen. */
function asExpected(
  calls: readonly DecidedCall[],
  group: number,
  sequences: ReadonlyMap<DecidedCall | undefined, number>,
): boolean {
  return calls.every((each) => {
    const expected = each.writes.find(({ expectedSequence }) => expectedSequence !== undefined)?.expectedSequence;
    return each.group !== group || expected === undefined || sequences.get(each) === expected;
  });
}
