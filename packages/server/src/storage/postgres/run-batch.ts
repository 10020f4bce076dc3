import type { EndedBatch } from "./batches.js";
import { type CommitPayload, createCommitPayload } from "./commit-payload.js";
import type { ContentCipher } from "./content-cipher.js";
import { StatementError } from "./database.js";
import { type DecidedBatch, type DecidedCall, decideBatch } from "./decide-batch.js";
import { createKeyCollector } from "./load-keys.js";
import type { LoadedRows } from "./loaded-rows.js";
import { type PendingCall, tryAgain } from "./pending-call.js";
import { isDataException, isDiskFull, isUniqueViolation, storageErrorFrom } from "./postgres-error.js";
import type { RecentChanges } from "./recent-changes.js";
import type { WorkingSet } from "./working-set.js";
import { NotLoadedError } from "./working-set.js";

/** The result of `platform_commit`. */
export interface CommitResult {
  readonly stale: readonly number[];
  readonly sequences: readonly (readonly [change: number, sequence: number])[] | null;
}

export interface RunBatchOptions {
  /** @param keys as JSON */
  readonly load: (keys: string) => Promise<LoadedRows>;
  /** @throws StatementError */
  readonly commit: (batch: CommitPayload) => Promise<CommitResult>;
  readonly cipher: ContentCipher;
  /** Called for one change of each batch that was committed. */
  readonly acknowledged?: RecentChanges["acknowledged"];
}

/** How often a call is decided again after its write failed, because another process inserted the same row. */
const insertTries = 4;

/** Nothing is left to do. */
const written: EndedBatch = { result: "written", again: [] };

/**
 * Creates the function that runs a batch of calls: one statement loads, the rules decide, one statement compares and commits. Calls
 * that write nothing are resolved without the second. A call that must be decided again, because another process was faster, takes
 * nothing of the others with it.
 */
export function createRunBatch({ load, commit, cipher, acknowledged }: RunBatchOptions) {
  const runBatch = async (calls: readonly PendingCall[]): Promise<EndedBatch> => {
    try {
      const { set, decided } = await loadAndDecide(calls);
      const writing = new Set(decided.filter(({ writes }) => writes.length > 0).map(({ group }) => group));
      for (const { call, outcome, group } of decided) if (!writing.has(group)) call.succeed(outcome, undefined);
      if (writing.size === 0) return { result: "unchanged", again: [] };
      return await commitAll(
        set,
        decided.filter(({ group }) => writing.has(group)),
      );
    } catch (error) {
      // The keys of one call are the cause. Each call gets a batch of its own.
      if (calls.length > 1 && error instanceof Error && isDataException(error.cause))
        return runEach(calls.map((call) => [call]));
      for (const call of calls) call.fail(storageErrorFrom(error));
      return { result: "failed", again: [] };
    }
  };

  /** Runs parts of a batch that failed, one after the other, so that a call that cannot succeed fails alone. */
  const runEach = async (parts: Iterable<readonly PendingCall[]>): Promise<EndedBatch> => {
    const again: PendingCall[] = [];
    for (const part of parts) again.push(...(await runBatch(part)).again);
    return { result: "failed", again };
  };

  /** Loads and decides until every row that the decisions need was loaded, all of them in one statement. */
  const loadAndDecide = async (calls: readonly PendingCall[]): Promise<DecidedBatch> => {
    const keys = createKeyCollector();
    for (const { ref } of calls) keys.addRef(ref);
    for (;;) {
      const loaded = await load(keys.toJson());
      try {
        return decideBatch(calls, loaded, cipher);
      } catch (error) {
        if (!(error instanceof NotLoadedError)) throw error;
        const before = keys.size();
        for (const row of error.missing) keys.addMissing(row);
        // The database has left out what it was asked for: it would do so again.
        if (keys.size() === before) throw error;
      }
    }
  };

  const commitAll = async (set: WorkingSet, calls: readonly DecidedCall[]): Promise<EndedBatch> => {
    const payload = createCommitPayload(set, calls);
    let result: CommitResult;
    try {
      result = await commit(payload);
    } catch (error) {
      return failed(calls, error);
    }
    const stale = new Set(result.stale);
    const sequences = new Map(
      (result.sequences ?? []).map(([change, sequence]) => [payload.changes[change], sequence]),
    );
    report(payload, result);
    const again: PendingCall[] = [];
    for (const decided of calls) {
      const { call, outcome, writes, group } = decided;
      if (stale.has(group)) again.push(...tryAgain(call));
      // It has seen a sequence that the change did not get, because another process changed the vault first.
      else if (writes.length === 0 && !asExpected(calls, group, sequences)) again.push(call);
      else call.succeed(outcome, sequences.get(decided));
    }
    return { ...written, again };
  };

  /** Reports the last change of a commit. */
  const report = ({ changes }: CommitPayload, { sequences }: CommitResult): void => {
    const [change = -1, sequence = 0] = sequences?.at(-1) ?? [];
    for (const { write } of changes[change]?.writes ?? []) {
      if (write.kind !== "change") continue;
      const { tenantId, vaultId, itemId, version } = write.item;
      acknowledged?.({ tenantId, vaultId, itemId, version, sequence });
    }
  };

  /** Ends or repeats the calls of a commit that failed. */
  const failed = async (calls: readonly DecidedCall[], error: unknown): Promise<EndedBatch> => {
    const { failure, cause } = error instanceof StatementError ? error : { failure: "rejected", cause: error };
    const groups = new Map<number, PendingCall[]>();
    for (const { group, call } of calls) groups.set(group, [...(groups.get(group) ?? []), call]);
    // One of the groups is the cause, unless the disk is full. Each gets a commit of its own.
    if (failure === "rejected" && groups.size > 1 && !isDiskFull(cause)) return runEach(groups.values());
    const again: PendingCall[] = [];
    for (const { call } of calls) {
      if (isUniqueViolation(cause) && call.tries < insertTries) again.push(...tryAgain(call));
      else call.fail(storageErrorFrom(cause));
    }
    return { result: "failed", again };
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
