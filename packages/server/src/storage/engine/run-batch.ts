import type { AcknowledgedChange } from "../../domain/model/history.js";
import { type Ref, type Storage, StorageError } from "../../ports/storage.js";
import type { Tracing } from "../../ports/tracing.js";
import {
  type BatchesOptions,
  createBatches,
  createPendingCall,
  type EndedBatch,
  type PendingCall,
  tryAgain,
} from "./batches.js";
import type { DecidedBatch, DecidedCall } from "./decide-batch.js";
import type { WorkingSet } from "./working-set.js";

/** What the engine needs of a database. */
export interface Driver {
  /** Loads what the rules of the calls read, and decides: see `decideBatch`. */
  decide(calls: readonly PendingCall[]): DecidedBatch | Promise<DecidedBatch>;
  /**
   * Called before decisions without writes are answered. If it returns a promise, they wait for it, and fail if it rejects.
   * Default: they are answered at once.
   */
  mayAnswer?(): Promise<void> | undefined;
  /** Compares what the decisions have read with what is stored, and commits their writes: in one step and durably. */
  commit(batch: WriteBatch): Promise<CommitResult>;
  /**
   * Returns what happens to calls after an error of `decide` or `commit`: they fail, or they are tried one by one, because one of them
   * may be the cause. With "again", a call is then tried again some times.
   */
  afterError(error: unknown): "failed" | "alone" | "again";
  toError(error: unknown): unknown;
  readonly answerNow?: BatchesOptions["answerNow"];
  /** Called for the changes of one call of each batch that was committed. */
  acknowledged?(change: AcknowledgedChange): void;
}

export interface WriteBatch {
  readonly set: WorkingSet;
  readonly calls: readonly DecidedCall[];
}

export interface CommitResult {
  /** The groups that were not committed, because what they have read has changed. */
  readonly stale?: readonly number[];
  /** The groups that were not committed, because a write of them failed; with the error. */
  readonly failed?: ReadonlyMap<number, unknown>;
  /** The sequences of the changes that were committed, in the order of the changes of each call. */
  readonly sequences: ReadonlyMap<DecidedCall, readonly number[]>;
}

export interface EngineOptions extends Omit<BatchesOptions, "run" | "answerNow" | "tracing"> {
  readonly driver: Driver;
  readonly tracing?: Pick<Tracing, "beginBatch" | "current"> | undefined;
  /** Whether the storage is closed: calls fail as "unavailable". */
  readonly isClosed: () => boolean;
  /** Notices the error of a call, and returns the one for its caller. Default: the same. */
  readonly failed?: (error: unknown, ref: Ref) => unknown;
}

/** Creates what is the same in every storage: calls, the queue in which they wait, and the batches in which a driver decides and commits. */
export function createEngine({ driver, tracing, isClosed, failed = (error) => error, ...options }: EngineOptions) {
  const { answerNow } = driver;
  const batches = createBatches({ ...options, answerNow, tracing, run: createRunBatch(driver) });
  const transact: Storage["transact"] = (ref, rule, transactOptions = {}) =>
    new Promise((resolve, reject) => {
      const fail = (error: unknown) => reject(failed(error, ref));
      const call = createPendingCall(ref, rule, { ...transactOptions, span: tracing?.current() }, resolve, fail);
      if (isClosed() || !batches.push(call)) call.fail(new StorageError("unavailable"));
    });
  return { transact, drained: batches.drained };
}

/** How often a call is decided again after its write failed, because another process inserted the same row. */
const insertTries = 4;

/**
 * Creates the function that runs a batch of calls: the rules decide, and one commit compares and writes. Calls that write nothing are
 * answered without it. A call that must be decided again, because another process was faster, takes nothing of the others with it.
 */
export function createRunBatch(driver: Driver) {
  const runBatch = async (
    calls: readonly PendingCall[],
    decided: (open: readonly PendingCall[]) => void = () => {},
  ): Promise<EndedBatch> => {
    try {
      const { set, decided: decisions } = await driver.decide(calls);
      const groups = new Set(decisions.filter(({ writes }) => writes.length > 0).map(({ group }) => group));
      const writing = decisions.filter(({ group }) => groups.has(group));
      await answer(decisions.filter(({ group }) => !groups.has(group)));
      decided(writing.map(({ call }) => call));
      if (writing.length === 0) return { result: "unchanged", again: [] };
      return await commitAll({ set, calls: writing });
    } catch (error) {
      if (calls.length > 1 && driver.afterError(error) !== "failed") return runEach(calls.map((call) => [call]));
      for (const call of calls) call.fail(driver.toError(error));
      return { result: "failed", again: [] };
    }
  };

  /** Answers calls that write nothing. */
  const answer = async (calls: readonly DecidedCall[]): Promise<void> => {
    try {
      const waits = calls.length === 0 ? undefined : driver.mayAnswer?.();
      if (waits !== undefined) await waits;
      for (const { call, outcome } of calls) call.succeed(outcome, undefined);
    } catch (error) {
      for (const { call } of calls) call.fail(driver.toError(error));
    }
  };

  /** Runs parts of a batch that failed, one after the other, so that a call that cannot succeed fails alone. */
  const runEach = async (parts: Iterable<readonly PendingCall[]>): Promise<EndedBatch> => {
    const again: PendingCall[] = [];
    for (const part of parts) again.push(...(await runBatch(part)).again);
    return { result: "failed", again };
  };

  const commitAll = async (batch: WriteBatch): Promise<EndedBatch> => {
    let result: CommitResult;
    try {
      result = await driver.commit(batch);
    } catch (error) {
      return failed(batch.calls, error);
    }
    const { sequences, failed: failures } = result;
    const stale = new Set(result.stale);
    if (driver.acknowledged !== undefined) report(sequences);
    const again: PendingCall[] = [];
    for (const decided of batch.calls) {
      const { call, outcome, writes, group } = decided;
      if (failures?.has(group)) call.fail(driver.toError(failures.get(group)));
      else if (stale.has(group)) again.push(...tryAgain(call));
      // It has seen a sequence that the change did not get, because another process changed the vault first.
      else if (writes.length === 0 && !asExpected(batch.calls, group, sequences)) again.push(call);
      else call.succeed(outcome, sequences.get(decided)?.at(-1));
    }
    return { result: "written", again };
  };

  /** Reports the last change of a commit. */
  const report = (sequences: CommitResult["sequences"]): void => {
    const [decided, assigned] = [...sequences].at(-1) ?? [];
    const last = decided?.writes.findLast(({ write }) => write.kind === "change")?.write;
    const sequence = assigned?.at(-1);
    if (last?.kind !== "change" || sequence === undefined) return;
    const { tenantId, vaultId, itemId, version } = last.item;
    driver.acknowledged?.({ tenantId, vaultId, itemId, version, sequence });
  };

  /** Ends or repeats the calls of a commit that failed. */
  const failed = async (calls: readonly DecidedCall[], error: unknown): Promise<EndedBatch> => {
    const after = driver.afterError(error);
    const groups = new Map<number, PendingCall[]>();
    for (const { group, call } of calls) groups.set(group, [...(groups.get(group) ?? []), call]);
    if (groups.size > 1 && after !== "failed") return runEach(groups.values());
    const again: PendingCall[] = [];
    for (const { call } of calls) {
      if (after === "again" && call.tries < insertTries) again.push(...tryAgain(call));
      else call.fail(driver.toError(error));
    }
    return { result: "failed", again };
  };

  return runBatch;
}

/** Returns whether the changes of a group got the sequences that its later decisions have seen. */
function asExpected(calls: readonly DecidedCall[], group: number, sequences: CommitResult["sequences"]): boolean {
  return calls.every((each) => {
    const expected = each.writes.flatMap(({ expectedSequence = [] }) => expectedSequence);
    return each.group !== group || expected.every((sequence, index) => sequences.get(each)?.[index] === sequence);
  });
}
