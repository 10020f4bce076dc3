import { type Decision, unchanged } from "./model/decision.js";
import type { Records } from "./model/record.js";
import { findFamily, type RefreshGeneration, refreshFamilies } from "./model/refresh-family.js";
import { defineRule } from "./rule.js";

export const recordTokenUse = defineRule(decideRecordTokenUse);

/**
 * Records that an access token of a generation of a refresh family is in use, once for each generation: from now on, the refresh token
 * that this generation replaced gets no answer. Writes nothing for a family with a key, where only the refresh tokens count.
 */
export function decideRecordTokenUse(
  records: Records,
  { familyId, generation }: RefreshGeneration,
  tenantId: string,
  now: number,
): Decision<undefined> {
  const family = findFamily(records, tenantId, familyId, now);
  const matters = family?.generation === generation && family.popKeyId === "" && family.usedAt === undefined;
  if (!matters) return unchanged(undefined);
  return { outcome: undefined, writes: [refreshFamilies.put(records, { ...family, usedAt: now }, now)] };
}
