import type { Stored } from "../history/history-file.ts";
import { type CallOn, callsOn, type RecordedCall } from "../history/journal.ts";
import type { Change, VaultHistory } from "./histories.ts";

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

const makers: Readonly<Record<string, string>> = { approved: "approve", denied: "deny", consumed: "exchange" };

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

/** Lists delegations that do not count the deletions that were made with them, and deletions and rejections beyond their budgets. */
export function* findWrongBudgets(
  calls: readonly RecordedCall[],
  { authorizations, delegations }: Stored,
  histories: ReadonlyMap<string, VaultHistory>,
): Generator<string> {
  const grants = new Map(authorizations.map(({ codeHash, grantId }) => [codeHash, grantId]));
  const byId = new Map(delegations.map((each) => [each.delegationId, each]));
  const deletions = [...histories.values()].flatMap(({ changes }) => changes.filter(({ deleted }) => deleted));
  const made = callsOn(calls, "item").filter(({ request }) => request.delegation !== undefined);
  for (const [codeHash = "", own] of Map.groupBy(made, ({ request }) => request.delegation)) {
    const name = `the delegation of code ${codeHash}`;
    const stored = byId.get(grants.get(codeHash) ?? "");
    if (stored === undefined) {
      yield `${name} is not stored, and calls were made with it`;
      continue;
    }
    const { allowed, used } = stored;
    const counted = deletions.filter(({ callers }) => callers.some(({ request }) => request.delegation === codeHash));
    if (used !== counted.length) yield `${name} counts ${used} deletions, and ${counted.length} are stored`;
    if (allowed !== null && counted.length > allowed) {
      yield `${name} allows ${allowed} deletions, and ${counted.length} are stored`;
    }
    yield* findWrongRejections(name, allowed, own, counted);
  }
}

/** Lists rejections because of a budget that was not used yet, and deletions after such a rejection. Nobody changes the budget. */
function* findWrongRejections(
  name: string,
  allowed: number | null,
  calls: readonly CallOn<"item">[],
  deletions: readonly Change[],
): Generator<string> {
  const begins = deletions.map(({ key, callers }) => ({ key, at: Math.min(...callers.map(({ begunAt }) => begunAt)) }));
  const rejected = calls.flatMap(({ request, result, begunAt, endedAt }) => {
    if (result === undefined || result.ok || result.reason !== "DELEGATION_EXHAUSTED") return [];
    const call = `the deletion of ${request.vaultId}/${request.itemId} from ${begunAt} to ${endedAt}`;
    const before = begins.filter(({ at }) => at < endedAt).length;
    const later = begins.find(({ at }) => at > endedAt);
    return [{ call, told: `${result.used} of ${result.allowed}`, before, later }];
  });
  const wrong = rejected.filter(({ told }) => told !== `${allowed} of ${allowed}`);
  if (wrong[0] !== undefined) {
    const { call, told } = wrong[0];
    yield `${name} allows ${allowed ?? "any number of"} deletions, but ${wrong.length} calls were told something else, such as ${call}: ${told} are used`;
  }
  const early = rejected.find(({ before }) => before < (allowed ?? 0));
  if (early !== undefined) {
    const { call, before } = early;
    yield `${name} allows ${allowed} deletions, and at most ${before} were made before ${call} was rejected`;
  }
  for (const { call, later } of rejected) {
    if (later === undefined) continue;
    yield `${later.key} was deleted at ${later.at} at the earliest, after ${call} was told that the budget of ${name} is used`;
    return;
  }
}
