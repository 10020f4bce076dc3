import { type Decision, unchanged } from "./decision.js";
import { currentRecord, type RecordSnapshot } from "./record.js";
import { familyOfRecord, recordOfFamily } from "./refresh-family.js";
import { defineRule } from "./rule.js";

export const recordTokenUse = defineRule("recordTokenUse", decideRecordTokenUse);

/**
 * Records that an access token of a generation of a refresh family is in use, once for each generation: from now on, the refresh token
 * that this generation replaced gets no answer. Writes nothing for a family with a key, where only the refresh tokens count.
 */
export function decideRecordTokenUse(
  snapshot: RecordSnapshot,
  generation: number,
  tenantId: string,
  now: number,
): Decision<undefined> {
  const record = currentRecord(snapshot, now);
  const family = record && familyOfRecord(record);
  const matters =
    family?.tenantId === tenantId &&
    family.generation === generation &&
    family.popKeyId === "" &&
    family.usedAt === undefined;
  if (record === undefined || !matters) return unchanged(undefined);
  const used = { ...recordOfFamily({ ...family, usedAt: now }), revision: record.revision + 1 };
  return { outcome: undefined, writes: [{ kind: "record", record: used }] };
}
