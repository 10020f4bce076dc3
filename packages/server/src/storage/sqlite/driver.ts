import type { Decision, Write } from "../../domain/model/decision.js";
import type { Ref } from "../../ports/storage.js";
import type { PendingCall } from "../engine/batches.js";
import { type DecidedCall, decideBatch } from "../engine/decide-batch.js";
import type { Driver } from "../engine/run-batch.js";
import { itemSnapshotOf, keyOf, type Reader, type WorkingSet } from "../engine/working-set.js";
import type { Condition } from "./condition.js";
import { type StoredWrite, storedChange, type Tables } from "./tables/index.js";
import type { CallResult, Writer } from "./writer.js";

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

  const reader: Reader = {
    newVaultFloor,
    vault: tables.vaults.find,
    record: (tenantId, collection, key) => tables.records.find({ tenantId, collection, key }),
    item: tables.items.read,
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
      return inView(() => decideBatch(calls, { reader, made: evenOut }));
    },

    // A refusal must not take longer because others change the vault: that would reveal that it exists.
    answerNow(call) {
      const { ref } = call;
      if (ref.kind !== "item" || ref.principalId === undefined || members.has(call) || !call.wanted()) return false;
      try {
        condition.mayAnswer();
        const startedAt = performance.now();
        const rows = (ref.to === undefined ? [ref] : [ref, ref.to]).map((each) => reader.item(each, each.principalId));
        const foreign = rows.find(({ role }) => role === undefined);
        if (foreign === undefined) {
          members.add(call);
          return false;
        }
        const decision = call.decide(itemSnapshotOf(foreign));
        evenOut(ref, decision, startedAt);
        if (decision.writes.length > 0) return false;
        call.succeed(decision.outcome, undefined);
      } catch (error) {
        call.fail(error);
      }
      return true;
    },

    mayAnswer: () => (unsettled ? settle() : undefined),

    async commit({ set, calls }) {
      // One of the decisions may have found damage. Then nothing of the batch is written.
      condition.mayWrite();
      const writing = calls.filter(({ writes }) => writes.length > 0);
      const sent = writing.map(({ group, writes }) => ({
        group,
        writes: writes.flatMap(({ write }) => storedWrite(set, write)),
      }));
      let results: readonly CallResult[];
      try {
        results = await writer.commit(sent);
      } catch (error) {
        unsettled ||= sent.some(({ writes }) => writes.some(({ kind }) => kind === "shred"));
        throw error;
      }
      condition.wroteAgain();
      const failed = new Map<number, unknown>();
      const sequences = new Map<DecidedCall, readonly number[]>();
      for (const [index, call] of writing.entries()) {
        const result = results[index];
        if (result === undefined) continue;
        if ("error" in result) failed.set(call.group, result.error);
        else if (result.sequences.length > 0) sequences.set(call, result.sequences);
      }
      return { sequences, failed };
    },

    // What fails alone does so in the writer.
    afterError: () => "failed",
    toError: condition.failed,
  };
}

/**
 * Returns what is stored of a write: of a record that several decisions of the batch write, such as a delegation, only the last write.
 * These decisions are of one group. Nothing follows links here, because every record is read in this process.
 */
function storedWrite({ records }: WorkingSet, write: Write): readonly StoredWrite[] {
  if (write.kind === "change") return [storedChange(write)];
  if (write.kind !== "record") return [write];
  const key = keyOf(write.record);
  if (records.peek(...key) !== write.record) return [];
  return [{ kind: "record", record: write.record, replaces: records.loaded(...key)?.row?.revision ?? 0 }];
}

/**
 * The time that every rejection takes, in milliseconds. The slowest decision without writes takes a fraction of it; the rest
 * of the request takes three times as long.
 */
const evenTime = 0.03;

/**
 * Returns whether the time of a decision must not reveal what exists: the decision is about an item, was made for a
 * principal, writes nothing and discloses nothing.
 *
 * The statement that loads the snapshot always takes the same steps, but an existing row costs a few hundred nanoseconds
 * more than a missing one, which a few thousand calls on an idle machine can measure.
 */
export function isRejection(ref: Ref, { writes, disclosed = false }: Omit<Decision<unknown>, "outcome">): boolean {
  return ref.kind === "item" && ref.principalId !== undefined && writes.length === 0 && !disclosed;
}

/** Lets a rejection take `evenTime` since `startedAt`. Uses a busy loop, because no timer is precise enough. */
function evenOut(ref: Ref, decision: Decision<unknown>, startedAt: number): void {
  if (!isRejection(ref, decision)) return;
  const endsAt = startedAt + evenTime;
  while (performance.now() < endsAt);
}
