import { callsOn, type RecordedCall } from "../history/journal.ts";

/** How long the server may accept revoked tokens, in microseconds. */
const graceUs = 1_000_000;

/** Lists tokens of sign-ins that were accepted after their revocation was acknowledged. */
export function* findAcceptedAfterRevocation(calls: readonly RecordedCall[]): Generator<string> {
  for (const [id, own] of Map.groupBy(callsOn(calls, "session"), ({ request }) => request.sessionId)) {
    const revocations = own.filter(({ request, result }) => request.kind === "revoke" && result?.ok);
    const revokedAt = Math.min(...revocations.map(({ endedAt }) => endedAt));
    for (const { request, result, begunAt } of own) {
      if (!result?.ok || request.kind === "revoke" || begunAt <= revokedAt + graceUs) continue;
      yield `session ${id}: a ${request.kind} at ${begunAt} succeeded, but the revocation was acknowledged at ${revokedAt}`;
    }
  }
}
