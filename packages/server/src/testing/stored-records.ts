import type { Write } from "../domain/model/decision.js";
import { recordsOf } from "../domain/model/record.js";
import type { RecordsSnapshot } from "../domain/model/vault.js";

/** Returns what a rule reads after the writes of records, in their order. Other writes are ignored. */
export function storedRecords(...writes: readonly Write[]): RecordsSnapshot {
  const records = writes.flatMap((write) => (write.kind === "record" ? write.record : []));
  return { ...recordsOf(records.toReversed()), vault: undefined };
}
