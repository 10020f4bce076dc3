import type { Decision } from "../../domain/model/decision.js";
import type { RecordKey } from "../../domain/model/record.js";
import type { Rule } from "../../domain/rule.js";
import { type Committed, type Ref, type Snapshots, StorageError, type TransactOptions } from "../../ports/storage.js";
import type { TraceContext, Tracing } from "../../ports/tracing.js";
import type { BatchResult, StorageRecorder } from "../figures.js";

export interface PendingCall {
  readonly ref: Ref;
  /** Calls that share a lane are decided in order, and no two batches in flight have calls of one lane. */
  readonly lanes: readonly string[];
  /** How often the call was found stale. */
  readonly tries: number;
  /** The span that the call belongs to, if batches are traced. */
  readonly span: TraceContext | undefined;
  /** Returns whether the caller still waits for the result. */
  wanted(): boolean;
  decide(snapshot: Snapshots[Ref["kind"]]): Decision<unknown>;
  succeed(outcome: unknown, sequence: number | undefined): void;
  fail(reason: unknown): void;
}

/** How often a call is decided again because another process was faster, until it fails as "contended". */
const triesLimit = 32;

/** Creates a queued call. `resolve` and `reject` settle the promise of its result. */
export function createPendingCall<R extends Ref, Outcome>(
  ref: R,
  rule: Rule<Snapshots[R["kind"]], Outcome>,
  { wanted = () => true, span }: TransactOptions & Pick<PendingCall, "span">,
  resolve: (result: Committed<Outcome>) => void,
  reject: (reason: unknown) => void,
): PendingCall {
  return {
    ref,
    lanes: lanesOf(ref),
    tries: 0,
    span,
    wanted,
    // The snapshot is the one of `ref`, and the outcome the one of `rule`: `decideBatch` keeps them together.
    decide: (snapshot) => rule(snapshot as Snapshots[R["kind"]]),
    succeed: (outcome, sequence) => resolve({ outcome: outcome as Outcome, sequence }),
    fail: reject,
  };
}

/** Returns the call for another try. Returns nothing if it was stale too often: then it has failed as "contended". */
export function tryAgain(call: PendingCall): readonly PendingCall[] {
  if (call.tries < triesLimit) return [{ ...call, tries: call.tries + 1 }];
  call.fail(new StorageError("contended"));
  return [];
}

/** The lane of all records: calls about them are few, and depend on each other in several ways. */
const ofRecords = "";

/** A call about an item that names a record shares a lane with the calls about records that name it first. */
function lanesOf(ref: Ref): readonly string[] {
  const ofVault = (tenantId: string, vaultId: string) => `${tenantId}\n${vaultId}`;
  const ofRecord = ({ tenantId, collection, key }: RecordKey) => `${tenantId}\n${collection}\n${key}`;
  switch (ref.kind) {
    case "vault":
      return [ofVault(ref.tenantId, ref.vaultId)];
    case "item": {
      const { record, to } = ref;
      return [
        ofVault(ref.tenantId, ref.vaultId),
        ...(record === undefined ? [] : [ofRecord(record)]),
        ...(to === undefined ? [] : [ofVault(to.tenantId, to.vaultId)]),
      ];
    }
    case "records": {
      const records = [ofRecords, ...ref.keys.map(ofRecord)];
      return ref.vault === undefined ? records : [...records, ofVault(ref.vault.tenantId, ref.vault.vaultId)];
    }
  }
}

/** Collects calls and runs them in batches. */
export interface Batches {
  /** Queues a call. Returns false when the queue is full. */
  push(call: PendingCall): boolean;
  /** Resolves when every call that was queued before has ended. */
  drained(): Promise<void>;
}

export interface BatchesOptions {
  /** The largest number of queued calls. Without a limit of batches in flight, theirs count, too. Default: 10,000. */
  readonly queueLimit?: number | undefined;
  readonly batchLimit: number;
  /** The largest number of batches in flight. They divide the queue, unless there is no limit. */
  readonly inFlightLimit: number;
  /**
   * Runs a batch. Must not reject.
   *
   * @param decided to be called with the calls that go on, once the others have ended.
   */
  readonly run: (calls: readonly PendingCall[], decided: (open: readonly PendingCall[]) => void) => Promise<EndedBatch>;
  /**
   * Ends a call whose lane is busy, if its result does not depend on what is in flight there. Returns whether it has ended the call.
   * To end it later, it first takes it out of the queue. Default: every call of a busy lane waits.
   *
   * @param withdraw takes the call out of the queue. Returns false if a batch has it: then the batch ends it.
   */
  readonly answerNow?: ((call: PendingCall, withdraw: () => boolean) => boolean) | undefined;
  readonly recorder: StorageRecorder;
  /** Traces the batches. Default: they are not traced. */
  readonly tracing?: Pick<Tracing, "beginBatch"> | undefined;
}

export interface EndedBatch {
  readonly result: BatchResult;
  /** The calls that must be decided again. */
  readonly again: readonly PendingCall[];
}

/** A batch costs as much CPU time as about 8 calls, so fewer calls than these wait for more, and are not divided. */
const smallBatch = 16;

/**
 * Creates a bounded queue. What is queued while batches are in flight is the next batch, so the batches grow with the load. If
 * several batches may start, they divide the queue: while PostgreSQL works for one, this process works for another. Without a limit,
 * every turn of the event loop starts a batch of what may begin.
 *
 * The calls of one lane are never in two batches at the same time: they are decided in order, and two batches of this process never
 * wait for each other's lock. A batch starts in setImmediate, when all ready sockets have been read; a small one waits until a turn
 * of the event loop brings no further calls.
 */
export function createBatches(options: BatchesOptions): Batches {
  const { queueLimit = 10_000, batchLimit, inFlightLimit, run, answerNow, recorder, tracing } = options;
  let waiting: PendingCall[] = [];
  const busy = new Set<string>();
  let inFlight = 0;
  /** The calls of the batches in flight, if there may be any number of them. */
  let open = 0;
  let scheduled = false;
  let waitingBefore = 0;
  let listeners: (() => void)[] = [];

  const take = (): readonly PendingCall[] => {
    const parts = Number.isFinite(inFlightLimit) ? inFlightLimit - inFlight : 1;
    const share = Math.min(batchLimit, Math.max(smallBatch, Math.ceil(waiting.length / parts)));
    const batch: PendingCall[] = [];
    const left: PendingCall[] = [];
    const lanes = new Set<string>();
    const blocked = new Set(busy);
    /** Lanes in which an earlier call waits that may change who is a member. */
    const changing = new Set<string>();
    for (const call of waiting) {
      const waits = call.lanes.some((lane) => blocked.has(lane));
      if (waits && !call.lanes.some((lane) => changing.has(lane)) && answerNow?.(call, () => withdraw(call))) continue;
      // No other batch can take a call of the same lane.
      const limit = call.lanes.some((lane) => lanes.has(lane)) ? batchLimit : share;
      const free = batch.length < limit && !waits;
      if (!free && call.ref.kind !== "item") for (const lane of call.lanes) changing.add(lane);
      for (const lane of call.lanes) (free ? lanes : blocked).add(lane);
      (free ? batch : left).push(call);
    }
    waiting = left;
    return batch;
  };

  const withdraw = (call: PendingCall): boolean => {
    const left = waiting.filter((each) => each !== call);
    const found = left.length < waiting.length;
    waiting = left;
    schedule();
    return found;
  };

  /** Makes the lanes of calls busy. Returns a function that frees those that none of the given calls has. */
  const occupy = (calls: readonly PendingCall[]) => {
    let held = new Set(calls.flatMap(({ lanes }) => lanes));
    let counted = calls.length;
    for (const lane of held) busy.add(lane);
    open += counted;
    return (left: readonly PendingCall[]) => {
      open += left.length - counted;
      counted = left.length;
      const kept = new Set(left.flatMap(({ lanes }) => lanes));
      for (const lane of held) if (!kept.has(lane)) busy.delete(lane);
      held = kept;
      schedule();
    };
  };

  const start = (): void => {
    if (waiting.length < smallBatch && waiting.length > waitingBefore) {
      waitingBefore = waiting.length;
      setImmediate(start);
      return;
    }
    scheduled = false;
    while (inFlight < inFlightLimit && waiting.length > 0) {
      const batch = take();
      if (batch.length === 0) return;
      const free = occupy(batch);
      inFlight += 1;
      const startedAt = performance.now();
      const spans = batch.flatMap(({ span }) => span ?? []);
      const ended = tracing?.beginBatch(batch.length, spans);
      recorder.queued(waiting.length);
      run(batch, free).then(({ result, again }) => {
        ended?.();
        recorder.batch(batch.length, result, performance.now() - startedAt);
        inFlight -= 1;
        waiting.unshift(...again);
        free([]);
      });
    }
  };

  const schedule = (): void => {
    if (waiting.length === 0 && inFlight === 0) {
      for (const listener of listeners) listener();
      listeners = [];
    } else if (!scheduled && waiting.length > 0 && inFlight < inFlightLimit) {
      scheduled = true;
      waitingBefore = 0;
      setImmediate(start);
    }
  };

  return {
    push(call) {
      const queued = Number.isFinite(inFlightLimit) ? waiting.length : waiting.length + open;
      if (queued >= queueLimit) return false;
      waiting.push(call);
      recorder.queued(waiting.length);
      schedule();
      return true;
    },
    drained() {
      if (waiting.length === 0 && inFlight === 0) return Promise.resolve();
      return new Promise((resolve) => listeners.push(resolve));
    },
  };
}
