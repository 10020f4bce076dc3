import type { Write } from "../../domain/model/decision.js";
import type { RecordKey } from "../../domain/model/record.js";
import type { Ref, Snapshots } from "../../ports/storage.js";
import type { AppliedWrite } from "../engine/apply-write.js";
import { type DecidedCall, type DecideOptions, decideBatch } from "../engine/decide-batch.js";
import type { PendingCall } from "../engine/pending-call.js";
import type { Driver } from "../engine/run-batch.js";
import { itemSnapshotOf } from "../engine/snapshot.js";
import type { FindRows, WorkingSet } from "../engine/working-set.js";
import type { StoredWrite } from "./apply-write.js";
import type { Condition } from "./condition.js";
import { evenOut, isRejection } from "./even-rejection.js";
import type { Tables } from "./tables/index.js";
import type { CallResult, CallWrites, Writer } from "./writer.js";

export interface SqliteDriverOptions {
  /** Reads in one consistent view. */
  readonly inView: <Result>(read: () => Result) => Result;
  readonly tables: Tables;
  readonly writer: Pick<Writer, "commit" | "settle">;
  readonly condition: Condition;
}

/**
 * Creates the driver of SQLite: decisions read what they need, in the thread that serves; their writes go to the writer. Nothing else
 * writes, and no two batches in flight have a lane in common, so what a decision has read is still so when it is committed.
 */
export function createSqliteDriver({ inView, tables, writer, condition }: SqliteDriverOptions): Driver {
  let newVaultFloor = 0;
  try {
    newVaultFloor = tables.newVaultFloor();
  } catch (error) {
    // Nothing is written from now on.
    condition.failed(error);
  }
  /** Whether a commit that shreds has failed: its bytes may be left in the log. */
  let unsettled = false;

  const find: FindRows = {
    vaults: tables.vaults.find,
    members: (tenantId, vaultId, principalId) => tables.items.read({ tenantId, vaultId, itemId: "" }, principalId).role,
    items: (tenantId, vaultId, itemId) => tables.items.read({ tenantId, vaultId, itemId }, undefined).item,
    records: (tenantId, collection, key) => tables.records.find({ tenantId, collection, key }),
  };

  const applyRule = (call: PendingCall, snapshot: Snapshots[Ref["kind"]], startedAt: number) => {
    // A content that the rule loads may be damaged.
    const decision = call.decide(snapshot);
    if (isRejection(call.ref, decision)) evenOut(startedAt);
    return decision;
  };

  const decide: DecideOptions["decide"] = (call, snapshotOf) => {
    const startedAt = performance.now();
    return applyRule(call, snapshotOf(), startedAt);
  };

  /** Decides on what is stored. Most calls are decided so, because a working set costs as much as a read. */
  const decideAlone: DecideOptions["decideAlone"] = (call, set) => {
    const { ref } = call;
    if (ref.kind !== "item") return undefined;
    const startedAt = performance.now();
    const { principalId, record: key } = ref;
    const rows = tables.items.read(ref, principalId);
    const { vault, role, item } = rows;
    const mayRead = principalId === undefined || role !== undefined;
    const record = key !== undefined && mayRead ? set.records.get(key.tenantId, key.collection, key.key) : undefined;
    const { outcome, writes } = applyRule(call, itemSnapshotOf(vault, role, item, record), startedAt);
    return { outcome, writes, load: () => loadItem(set, ref, rows) };
  };

  /** Loads what one statement reads of an item, unless a call of the batch has needed the item before. */
  const load: DecideOptions["load"] = (set, ref) => {
    if (ref.kind !== "item" || set.items.loaded(ref.tenantId, ref.vaultId, ref.itemId) !== undefined) return;
    loadItem(set, ref, tables.items.read(ref, ref.principalId));
  };

  /** Calls of members that wait. */
  const members = new WeakSet<PendingCall>();

  const settle = async (): Promise<void> => {
    await writer.settle();
    unsettled = false;
  };

  return {
    decide(calls) {
      condition.mayAnswer();
      const loadAll = (set: WorkingSet) => {
        set.newVaultFloor = newVaultFloor;
      };
      return inView(() => decideBatch(calls, { loadAll, decide, decideAlone, load, find }));
    },

    // A refusal must not take longer because others change the vault: that would reveal that it exists.
    answerNow(call) {
      const { ref } = call;
      if (ref.kind !== "item" || ref.principalId === undefined || members.has(call) || !call.wanted()) return false;
      try {
        condition.mayAnswer();
        const startedAt = performance.now();
        const { vault, role } = tables.items.read(ref, ref.principalId);
        if (role !== undefined) {
          members.add(call);
          return false;
        }
        const { outcome, writes } = applyRule(call, itemSnapshotOf(vault, role, undefined), startedAt);
        if (writes.length > 0) return false;
        call.succeed(outcome, undefined);
      } catch (error) {
        call.fail(error);
      }
      return true;
    },

    mayAnswer: () => (unsettled ? settle() : undefined),

    async commit({ calls }) {
      // One of the decisions may have found damage. Then nothing of the batch is written.
      condition.mayWrite();
      const writing = calls.filter(({ writes }) => writes.length > 0);
      const sent = storedWrites(writing);
      let results: readonly CallResult[];
      try {
        results = await writer.commit(sent);
      } catch (error) {
        unsettled ||= sent.some(({ writes }) => writes.some(({ kind }) => kind === "shred"));
        throw error;
      }
      condition.wroteAgain();
      const failed = new Map<number, unknown>();
      const sequences = new Map<DecidedCall, number>();
      for (const [index, call] of writing.entries()) {
        const result = results[index];
        if (result === undefined) continue;
        if ("error" in result) failed.set(call.group, result.error);
        else if (result.sequence !== undefined) sequences.set(call, result.sequence);
      }
      return { sequences, failed };
    },

    // What fails alone does so in the writer.
    afterError: () => "failed",
    toError: condition.failed,
  };
}

/** Loads rows that were read together. Those that the batch has loaded or changed stay. */
function loadItem(
  set: WorkingSet,
  { tenantId, vaultId, itemId, principalId }: Extract<Ref, { readonly kind: "item" }>,
  { vault, role, item }: ReturnType<Tables["items"]["read"]>,
): void {
  set.vaults.load([tenantId, vaultId], vault);
  if (principalId !== undefined) set.members.load([tenantId, vaultId, principalId], role);
  // The item of a vault that the principal is not a member of was not read: it may exist.
  if (principalId === undefined || role !== undefined) set.items.load([tenantId, vaultId, itemId], item);
}

/**
 * Returns what is stored: each record once, as the last decision left it. Decisions that write the same record are of one group, and such as
 * those of a delegation are many. Nothing follows links here, because every record is read in this process.
 */
function storedWrites(calls: readonly DecidedCall[]): CallWrites[] {
  const records = new Map<string, { readonly replaces: number; last: Write }>();
  for (const { writes } of calls) {
    for (const { write } of writes) {
      if (write.kind !== "record") continue;
      const id = idOf(write.record);
      const earlier = records.get(id);
      if (earlier === undefined) records.set(id, { replaces: write.record.revision - 1, last: write });
      else earlier.last = write;
    }
  }
  const stored = ({ write }: AppliedWrite): StoredWrite[] => {
    if (write.kind !== "record") return [write];
    const { record } = write;
    const known = records.get(idOf(record));
    return known?.last === write ? [{ kind: "record", record, replaces: known.replaces }] : [];
  };
  return calls.map(({ group, writes }) => ({ group, writes: writes.flatMap(stored) }));
}

function idOf({ tenantId, collection, key }: RecordKey): string {
  return `${tenantId}\n${collection}\n${key}`;
}
