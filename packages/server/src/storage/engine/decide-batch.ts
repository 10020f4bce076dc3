import type { Decision } from "../../domain/model/decision.js";
import { type Ref, type Snapshots, StorageError } from "../../ports/storage.js";
import { type AppliedWrite, type ApplyOptions, applyWrite } from "./apply-write.js";
import type { PendingCall } from "./pending-call.js";
import { snapshotOf } from "./snapshot.js";
import {
  type AccessLog,
  createWorkingSet,
  type FindRows,
  type MissingRow,
  NotLoadedError,
  type TableName,
  type WorkingSet,
} from "./working-set.js";

/** A row that a decision has read or written. */
export interface ReadRow {
  readonly table: TableName;
  readonly key: readonly string[];
}

/** A call with the decision that its rule made. */
export interface DecidedCall {
  readonly call: PendingCall;
  readonly outcome: unknown;
  readonly writes: readonly AppliedWrite[];
  readonly reads: ReadonlyMap<string, ReadRow>;
  readonly written: ReadonlyMap<string, ReadRow>;
  /** Calls of one group see each other's writes, so they are committed together. */
  readonly group: number;
}

/** The decisions of a batch. */
export interface DecidedBatch {
  readonly set: WorkingSet;
  readonly decided: readonly DecidedCall[];
}

export interface DecideOptions extends Pick<ApplyOptions, "seal"> {
  /** Loads the rows of the whole batch. */
  readonly loadAll: (set: WorkingSet) => void;
  /** Applies the rule of a call to a snapshot. Default: does nothing else. */
  readonly decide?: (call: PendingCall, snapshotOf: () => Snapshots[Ref["kind"]]) => Decision<unknown>;
  /**
   * Decides a call without loading the rows of its vault; records are read from the working set. Called while no call of the batch has
   * written in its first lane, so that what is stored of the vault is what it would see. Returns undefined for a call that is decided
   * on the working set. Default: every call is.
   */
  readonly decideAlone?: (call: PendingCall, set: WorkingSet) => DecidedAlone | undefined;
  /** Loads the rows of a call into the working set before it is decided there. Default: its rows are read one by one. */
  readonly load?: (set: WorkingSet, ref: Ref) => void;
  /** Reads rows that were not loaded. Default: see `NotLoadedError`. */
  readonly find?: FindRows;
}

/** A decision for which the rows of the vault were not loaded. */
export interface DecidedAlone extends Decision<unknown> {
  /** Loads what it has read of the vault. Called if it writes, and another call of the batch may see it. */
  readonly load: () => void;
}

/**
 * Applies the rules of calls to loaded rows, one after the other. Each decision sees the writes of those before it. Calls that are
 * no longer wanted, and calls whose rule throws, fail on their own.
 *
 * @throws NotLoadedError when a row is needed that was not loaded. Then no call was failed or resolved.
 */
export function decideBatch(
  calls: readonly PendingCall[],
  { loadAll, decide = applyRule, decideAlone, load, find, seal }: DecideOptions,
): DecidedBatch {
  const groups = createGroups(calls.length);
  let index = 0;
  let reads = new Map<string, ReadRow>();
  let written = new Map<string, ReadRow>();
  let undo: (() => void)[] = [];
  const log: AccessLog = {
    read(table, id, key) {
      reads.set(id, { table, key });
      groups.read(index, id);
    },
    wrote(table, id, key, restore) {
      undo.push(restore);
      written.set(id, { table, key });
      groups.wrote(index, id);
    },
  };
  const set = createWorkingSet(log, find);
  loadAll(set);
  const snapshotFor = ({ ref }: PendingCall) => {
    load?.(set, ref);
    return snapshotOf(set, ref);
  };
  const pending = new Map<string, number>();
  const pendingChanges = (tenantId: string, vaultId: string) => pending.get(`${tenantId}\n${vaultId}`) ?? 0;
  const missing: MissingRow[] = [];
  const failures: (() => void)[] = [];
  /** The lanes in which a call of the batch has written. */
  const changed = new Set<string>();
  const shared = sharedLanes(calls);
  const decided: Omit<DecidedCall, "group">[] = [];
  const indexes: number[] = [];

  for (const call of calls) {
    reads = new Map();
    written = new Map();
    undo = [];
    try {
      if (!call.wanted()) throw new StorageError("dropped");
      const [lane = ""] = call.lanes;
      const alone = changed.has(lane) ? undefined : decideAlone?.(call, set);
      const { outcome, writes } = alone ?? decide(call, () => snapshotFor(call));
      // Whether another call may see what it writes. Records are always written to the working set, which alone checks their revisions.
      const seen = alone === undefined || shared.has(lane);
      if (writes.length > 0 && seen) {
        alone?.load();
        for (const each of call.lanes) changed.add(each);
      }
      const applied = writes.map((write) =>
        seen || write.kind === "record" ? applyWrite(set, write, { seal, pendingChanges }) : { write },
      );
      for (const { write } of applied) {
        if (write.kind !== "change" || !seen) continue;
        const { tenantId, vaultId } = write.item;
        pending.set(`${tenantId}\n${vaultId}`, pendingChanges(tenantId, vaultId) + 1);
      }
      decided.push({ call, outcome, writes: applied, reads, written });
      indexes.push(index);
    } catch (error) {
      for (const restore of undo.reverse()) restore();
      // The others decide, too, so that what all of them miss is loaded at once.
      if (error instanceof NotLoadedError) missing.push(...error.missing);
      else failures.push(() => call.fail(error));
    }
    index += 1;
  }
  if (missing.length > 0) throw new NotLoadedError(missing);
  for (const fail of failures) fail();
  return { set, decided: decided.map((each, at) => ({ ...each, group: groups.of(indexes[at] ?? 0) })) };
}

/** Returns the lanes that several calls have. What a call of another lane writes, no other call of the batch sees. */
function sharedLanes(calls: readonly PendingCall[]): ReadonlySet<string> {
  const lanes = new Set<string>();
  const shared = new Set<string>();
  for (const call of calls) {
    for (const lane of call.lanes) (lanes.has(lane) ? shared : lanes).add(lane);
  }
  return shared;
}

function applyRule(call: PendingCall, read: () => Snapshots[Ref["kind"]]): Decision<unknown> {
  return call.decide(read());
}

/** Finds out which calls of a batch depend on each other. */
interface Groups {
  read(call: number, row: string): void;
  wrote(call: number, row: string): void;
  /** Returns the group of a call: the smallest number of its calls. */
  of(call: number): number;
}

/** Creates the groups of a batch: a call belongs to the group of every call whose writes it has read or replaced. */
function createGroups(size: number): Groups {
  const parents = Array.from({ length: size }, (_, index) => index);
  const writers = new Map<string, number>();

  const rootOf = (call: number): number => {
    let root = call;
    for (let parent = parents[root] ?? root; parent !== root; parent = parents[root] ?? root) root = parent;
    return root;
  };
  const join = (call: number, row: string): void => {
    const writer = writers.get(row);
    if (writer === undefined) return;
    const [a, b] = [rootOf(call), rootOf(writer)];
    parents[Math.max(a, b)] = Math.min(a, b);
  };

  return {
    read: join,
    wrote(call, row) {
      join(call, row);
      writers.set(row, call);
    },
    of: rootOf,
  };
}
