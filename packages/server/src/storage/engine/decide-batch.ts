import type { Decision } from "../../domain/model/decision.js";
import { type Ref, StorageError } from "../../ports/storage.js";
import { type AppliedWrite, type ApplyOptions, applyWrite } from "./apply-write.js";
import type { PendingCall } from "./batches.js";
import {
  type AccessLog,
  createWorkingSet,
  type MissingRow,
  NotLoadedError,
  type Reader,
  snapshotOf,
  type TableName,
  type WorkingSet,
} from "./working-set.js";

/** A row that a decision has read or written. */
export interface ReadRow {
  readonly table: TableName;
  readonly key: readonly string[];
}

export interface DecidedCall {
  readonly call: PendingCall;
  readonly outcome: unknown;
  readonly writes: readonly AppliedWrite[];
  readonly reads: ReadonlyMap<string, ReadRow>;
  readonly written: ReadonlyMap<string, ReadRow>;
  /** Calls of one group see each other's writes, so they are committed together. */
  readonly group: number;
}

export interface DecidedBatch {
  readonly set: WorkingSet;
  readonly decided: readonly DecidedCall[];
}

export interface DecideOptions extends Pick<ApplyOptions, "seal"> {
  /** Loads the rows of the whole batch. Default: nothing is loaded. */
  readonly loadAll?: (set: WorkingSet) => void;
  /** Reads what was not loaded. Default: see `NotLoadedError`. */
  readonly reader?: Reader;
  /** Called after each decision. `startedAt`: when its rows began to be read. Default: does nothing. */
  readonly made?: (ref: Ref, decision: Decision<unknown>, startedAt: number) => void;
}

/**
 * Applies the rules of calls to loaded rows, one after the other. Each decision sees the writes of those before it. Calls that are
 * no longer wanted, and calls whose rule throws, fail on their own.
 *
 * With a reader, a call about an item is decided on what is stored while nothing was written in its lane, because a working set costs as
 * much as a read.
 *
 * @throws NotLoadedError when a row is needed that was not loaded. Then no call was failed or resolved.
 */
export function decideBatch(
  calls: readonly PendingCall[],
  { loadAll, reader, made, seal }: DecideOptions,
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
  const set = createWorkingSet(log, reader);
  loadAll?.(set);
  const changes = new Map<string, number>();
  const nextChange = (tenantId: string, vaultId: string) => {
    const vault = `${tenantId}\n${vaultId}`;
    const earlier = changes.get(vault) ?? 0;
    changes.set(vault, earlier + 1);
    undo.push(() => changes.set(vault, earlier));
    return earlier + 1;
  };
  const missing: MissingRow[] = [];
  const failures: (() => void)[] = [];
  /** The lanes in which a call of the batch has written. */
  const changed = new Set<string>();
  const shared = sharedLanes(calls);
  const decided: (Omit<DecidedCall, "group"> & { group: number })[] = [];

  for (const call of calls) {
    reads = new Map();
    written = new Map();
    undo = [];
    try {
      if (!call.wanted()) throw new StorageError("dropped");
      const { ref, lanes } = call;
      const [lane = ""] = lanes;
      const startedAt = performance.now();
      const isAlone = ref.kind === "item" && ref.to === undefined && !changed.has(lane);
      const stored = isAlone ? reader?.item(ref, ref.principalId) : undefined;
      const decision = call.decide(snapshotOf(set, ref, stored));
      made?.(ref, decision, startedAt);
      const { outcome, writes } = decision;
      // Whether another call may see what it writes. Records are always written to the working set, which alone checks their revisions.
      const seen = stored === undefined || shared.has(lane);
      if (writes.length > 0 && seen) {
        if (ref.kind === "item") set.loadItem(ref, stored);
        for (const each of lanes) changed.add(each);
      }
      const applied = writes.map((write) =>
        seen || write.kind === "record" ? applyWrite(set, write, { seal, nextChange }) : { write },
      );
      decided.push({ call, outcome, writes: applied, reads, written, group: index });
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
  for (const each of decided) each.group = groups.of(each.group);
  return { set, decided };
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
