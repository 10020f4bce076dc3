import { type CallOn, callsOn, type ListResult, type RecordedCall } from "../history/journal.ts";
import { type Change, differenceOf, type VaultHistory } from "./histories.ts";

/** The positions of a vault that explain a response: the call saw the vault after this many changes. */
interface Seen {
  readonly from: number;
  readonly to: number;
}

type VaultCall = CallOn<"item"> | CallOn<"vault">;

/**
 * Lists responses that no position of their vault explains. The stored sequences order all changes of a vault, so a response shows
 * between which of them its call took effect; and a call that began after another one had ended took effect after it. This is strict
 * serializability of the vault, checked in one pass over time because the order of the writes is known.
 */
export function* findUnexplained(
  calls: readonly RecordedCall[],
  histories: ReadonlyMap<string, VaultHistory>,
): Generator<string> {
  const byVault = Map.groupBy(
    [...callsOn(calls, "item"), ...callsOn(calls, "vault")],
    ({ request }) => request.vaultId,
  );
  for (const [vaultId, own] of byVault) {
    const history = histories.get(vaultId);
    if (history === undefined) yield `${vaultId}: the vault was called, and is not stored`;
    else yield* findInVault(own, history);
  }
}

function* findInVault(calls: readonly VaultCall[], history: VaultHistory): Generator<string> {
  const explained: { readonly call: VaultCall; readonly seen: Seen }[] = [];
  for (const call of calls) {
    const seen = explain(call, history);
    if (typeof seen === "string") yield `${nameOf(call)} ${seen}`;
    else if (seen !== undefined) explained.push({ call, seen });
  }
  const byEnd = explained.toSorted((a, b) => a.call.endedAt - b.call.endedAt);
  const positionOf = new Map<VaultCall, number>();
  // The position that was known at each moment, and from which call.
  let known = 0;
  let by: VaultCall | undefined;
  let ended = 0;
  const advanceTo = (time: number) => {
    for (let next = byEnd[ended]; next && next.call.endedAt < time; next = byEnd[ended]) {
      const position = positionOf.get(next.call) ?? 0;
      if (position > known) [known, by] = [position, next.call];
      ended += 1;
    }
  };
  const begins = [
    ...explained.map(({ call, seen }) => ({ at: call.begunAt, call, seen })),
    ...history.changes.flatMap((change) => {
      if (change.callers.length === 0) return [];
      return [{ at: Math.min(...change.callers.map(({ begunAt }) => begunAt)), change }];
    }),
  ].sort((a, b) => a.at - b.at);
  for (const begin of begins) {
    advanceTo(begin.at);
    if ("change" in begin) {
      const { key, version, sequence } = begin.change;
      if (sequence <= known) {
        yield `${key}: version ${version} has sequence ${sequence}, but was asked for at ${begin.at} at the earliest, after ${nameOf(by)} had shown sequence ${known}`;
      }
      continue;
    }
    const { call, seen } = begin;
    if (seen.to < known) {
      yield `${nameOf(call)} ${showsOf(call)}, which is older than sequence ${seen.to + 1}, but ${nameOf(by)} had shown sequence ${known} before`;
    }
    positionOf.set(call, Math.max(seen.from, Math.min(known, seen.to)));
  }
}

/** Returns the positions that explain a response; why there are none; or undefined without a response that shows the vault. */
function explain(call: VaultCall, history: VaultHistory): Seen | string | undefined {
  if (isList(call)) return call.result?.ok ? explainList(call.request, call.result, history) : undefined;
  const { result } = call;
  if (result === undefined) return undefined;
  const changes = history.items.get(call.request.itemId) ?? [];
  if ("version" in result) {
    const change = changes.find(({ version }) => version === result.version);
    const difference = differenceOf(change, result);
    return difference === undefined ? seenOf(change) : `shows ${difference}`;
  }
  if (!result.ok && result.reason === "ITEM_NOT_FOUND") {
    return { from: 0, to: (changes[0]?.sequence ?? Number.POSITIVE_INFINITY) - 1 };
  }
  return undefined;
}

function isList(call: VaultCall): call is CallOn<"vault"> {
  return call.request.on === "vault";
}

function seenOf(change: Change | undefined): Seen | undefined {
  return change && { from: change.sequence, to: change.until - 1 };
}

/** A list is a read of every item: of those that it shows, and of those that it does not. */
function explainList(
  { after }: CallOn<"vault">["request"],
  { cursor, more, items }: ListResult,
  { head, changes, items: byItem }: VaultHistory,
): Seen | string {
  let from = more ? cursor + 1 : cursor;
  if (from > head)
    return `has the cursor ${cursor}${more ? " and more changes after it" : ""}, but the head of the vault is ${head}`;
  let to = more ? head : cursor;
  const listed = new Set<string>();
  for (const item of items) {
    if (listed.has(item.itemId)) return `shows the item ${item.itemId} twice`;
    listed.add(item.itemId);
    const change = byItem.get(item.itemId)?.find(({ version }) => version === item.version);
    const difference = differenceOf(change, item);
    if (difference !== undefined || change === undefined) return `shows the item ${item.itemId} at ${difference}`;
    if (change.sequence <= after || change.sequence > cursor) {
      return `shows sequence ${change.sequence}, which is not between ${after} and ${cursor}`;
    }
    if (change.until <= from)
      return `shows sequence ${change.sequence} of the item ${item.itemId}, which sequence ${change.until} had replaced`;
    to = Math.min(to, change.until - 1);
  }
  // An item that is not listed has changed since.
  for (const { itemId, sequence, until } of changes) {
    if (sequence <= after || sequence > cursor || until <= cursor || listed.has(itemId)) continue;
    from = Math.max(from, until);
    if (from > to)
      return `omits the item ${itemId}, which has been at sequence ${sequence} ${until === Number.POSITIVE_INFINITY ? "since" : `until ${until}`}`;
  }
  return { from, to };
}

function nameOf(call: VaultCall | undefined): string {
  if (call === undefined) return "nothing";
  const { request, begunAt, endedAt } = call;
  const object = request.on === "item" ? `${request.vaultId}/${request.itemId}` : request.vaultId;
  return `the ${request.kind} of ${object} from ${begunAt} to ${endedAt}`;
}

function showsOf({ result }: VaultCall): string {
  if (result !== undefined && "cursor" in result) return `has the cursor ${result.cursor}`;
  if (result !== undefined && "version" in result) return `shows version ${result.version}`;
  return `says ${result?.ok === false ? result.reason : "nothing"}`;
}
