import type { Decision } from "../../domain/model/decision.js";
import type { RecordKey } from "../../domain/model/record.js";
import type { Rule } from "../../domain/rule.js";
import { type Committed, type Ref, type Snapshots, StorageError, type TransactOptions } from "../../ports/storage.js";
import type { TraceContext } from "../../ports/tracing.js";

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
      const vault = ofVault(ref.tenantId, ref.vaultId);
      return ref.record === undefined ? [vault] : [vault, ofRecord(ref.record)];
    }
    case "records": {
      const records = [ofRecords, ...ref.keys.map(ofRecord)];
      return ref.vault === undefined ? records : [...records, ofVault(ref.vault.tenantId, ref.vault.vaultId)];
    }
  }
}
