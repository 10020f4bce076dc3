import type { Actor } from "./model/actor.js";
import { type AuthorizationCode, authorizationCodes, isStillAllowed } from "./model/authorization-code.js";
import { describeBounds } from "./model/bounds.js";
import { type Decision, unchanged } from "./model/decision.js";
import type { RecordPut } from "./model/record.js";
import type { RecordsSnapshot } from "./model/vault.js";
import { decidePutRecords, type PutRecordsOutcome } from "./put-record.js";
import { defineRule } from "./rule.js";

export const issueAuthorizationCode = defineRule(decideIssueCode);

/** Stores a code with the records that are written with it, or nothing: if one of them, or what allows the code, has changed. */
function decideIssueCode(
  records: RecordsSnapshot,
  code: AuthorizationCode,
  puts: readonly RecordPut[],
  actor: Actor,
  now: number,
): Decision<PutRecordsOutcome> {
  if (!isStillAllowed(records, code, now)) return unchanged({ ok: false });
  const { tenantId, oauthClientId, principalId, bounds } = code;
  const event = {
    subject: `authorization-code:${oauthClientId}/${principalId}`,
    event: bounds === undefined ? "approved" : `approved: ${describeBounds(bounds)}`,
  };
  const written = [authorizationCodes.create(code, now), ...puts];
  return decidePutRecords(records, written, { events: [event] }, { ...actor, tenantId }, now);
}
