import { callsOn, type RecordedCall } from "../history/journal.ts";
import type { Stored } from "../history/stored.ts";

/** Lists codes that were exchanged twice, and tokens without a stored grant. */
export function* findWrongGrants(calls: readonly RecordedCall[], stored: Stored): Generator<string> {
  const { authorizations, grants, audit, revocations } = stored;
  const byId = new Map(grants.map((grant) => [grant.grantId, grant]));
  const byCode = new Map(authorizations.map((authorization) => [authorization.codeHash, authorization]));
  const consumed = new Map<string, string>();
  for (const { codeHash, state, grantId } of authorizations) {
    if ((state === "consumed") !== (grantId !== "")) yield `code ${codeHash} is ${state}, with the grant "${grantId}"`;
    if (grantId === "") continue;
    if (consumed.has(grantId)) yield `grant ${grantId} belongs to two codes`;
    consumed.set(grantId, codeHash);
    if (!byId.has(grantId)) yield `code ${codeHash} has the grant ${grantId}, which is not stored`;
  }
  // A refresh is recorded as "granted by" its sign-in.
  const granted = audit.filter(({ event }) => event === "granted" || event.startsWith("granted by "));
  const events = new Map(granted.map(({ subject, event }) => [subject, event]));
  if (events.size !== granted.length) yield "the audit trail contains a grant twice";
  for (const { grantId, brokerTokenId } of grants) {
    const event = events.get(`grant:${grantId}`);
    if (event === undefined) yield `grant ${grantId} is not in the audit trail`;
    if (event === "granted" && brokerTokenId !== "" && !consumed.has(grantId)) {
      yield `grant ${grantId} has a broker token, but no code`;
    }
  }
  yield* findUnaskedGrants(calls, stored);
  yield* findTokensWithoutGrant(calls, byCode, byId, new Set(revocations));
}

/** What may have made each state of a device authorization. */
const makers: Readonly<Record<string, string>> = { approved: "approve", denied: "deny", consumed: "exchange" };

/** Lists device authorizations in a state that no call has asked for. */
function* findUnaskedGrants(calls: readonly RecordedCall[], { authorizations }: Stored): Generator<string> {
  const asked = new Set<string>();
  for (const { request, result } of callsOn(calls, "code")) {
    const possible = result === undefined || (result.ok && (request.kind !== "exchange" || "tokens" in result));
    if (possible) asked.add(`${request.kind} ${request.codeHash}`);
  }
  // A sign-in has the hash of the device code with which it began.
  for (const { request, result } of callsOn(calls, "session")) {
    if (request.kind === "start" && result?.ok !== false) asked.add(`exchange ${request.sessionId}`);
  }
  for (const { codeHash, state } of authorizations) {
    const maker = makers[state];
    if (maker !== undefined && !asked.has(`${maker} ${codeHash}`)) {
      yield `code ${codeHash} is ${state}, but no ${maker} that succeeded or has an unknown effect asked for it`;
    }
  }
}

function* findTokensWithoutGrant(
  calls: readonly RecordedCall[],
  codes: ReadonlyMap<string, Stored["authorizations"][number]>,
  grants: ReadonlyMap<string, Stored["grants"][number]>,
  revoked: ReadonlySet<string>,
): Generator<string> {
  const accessTokenIds = new Set([...grants.values()].map(({ accessTokenId }) => accessTokenId));
  for (const { result } of callsOn(calls, "token")) {
    if (result && !accessTokenIds.has(result.tokenId)) yield `the issued token ${result.tokenId} has no grant`;
  }
  for (const { request, result } of callsOn(calls, "code")) {
    if (!result?.ok) continue;
    const code = codes.get(request.codeHash);
    if (request.kind === "revoke" && !revoked.has(code?.grantId ?? "")) {
      yield `the acknowledged revocation of the tokens of code ${request.codeHash} is lost`;
    }
    if (result.status !== "approved" || result.tokenIds === undefined) continue;
    const grant = grants.get(code?.grantId ?? "");
    const [accessTokenId, brokerTokenId] = result.tokenIds;
    if (grant?.accessTokenId !== accessTokenId || grant?.brokerTokenId !== brokerTokenId) {
      yield `code ${request.codeHash} was exchanged for tokens that its grant does not contain`;
    }
  }
}
