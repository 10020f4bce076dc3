import type { Write } from "../domain/decision.js";
import { type RecordsSnapshot, recordsOf } from "../domain/record.js";

/** Returns what a rule reads after the writes of records, in their order. Other writes are ignored. */
export function storedRecords(...writes: readonly Write[]): RecordsSnapshot {
  const records = writes.flatMap((write) => (write.kind === "record" ? write.record : []));
  return { ...recordsOf(records.toReversed()), vault: undefined };
}
