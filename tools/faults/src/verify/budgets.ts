import { type CallOn, callsOn, type RecordedCall } from "../history/journal.ts";
import type { Stored } from "../history/stored.ts";
import type { Change, VaultHistory } from "./histories.ts";

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
