import {
  type Call,
  createAuthorizationModel,
  createFamilyModel,
  createItemModel,
  type ItemRequest,
  type ItemResult,
  type Model,
} from "@platform-rpc/server/testing";
import {
  type AccountRequest,
  type AccountResult,
  type CallOn,
  callsOn,
  type RecordedCall,
} from "../history/journal.ts";
import { findViolation } from "./linearize.ts";

interface Linearizability {
  readonly violations: readonly string[];
  readonly objects: number;
}

export function checkLinearizability(
  calls: readonly RecordedCall[],
  { clockMoves, shreds }: { readonly clockMoves: boolean; readonly shreds: (vaultId: string) => boolean },
): Linearizability {
  const violations: string[] = [];
  let objects = 0;
  const check = <State, Request, Result>(
    name: string,
    model: Model<State, Request, Result>,
    own: readonly Call<Request, Result>[],
  ) => {
    objects += 1;
    const violation = findViolation(model, own);
    if (violation === undefined) return;
    const { call, states } = violation;
    const before = [...new Set(states.map((state) => JSON.stringify(state)))].join(" or ");
    violations.push(
      `${name}: no order of the calls explains ${JSON.stringify(call.request)} from ${call.begunAt} to ${call.endedAt} with the ` +
        `result ${JSON.stringify(call.result)}. Before it, the state was ${before}.`,
    );
  };
  const items = { kept: createItemModel(30), shredded: createItemModel(0) };
  for (const [key, own] of callsOnItems(calls)) {
    check(`item ${key}`, shreds(key.slice(0, key.indexOf("/"))) ? items.shredded : items.kept, own);
  }
  const codes: readonly CallOn<"code">[] = callsOn(calls, "code");
  const authorization = createAuthorizationModel(clockMoves);
  for (const [key, own] of Map.groupBy(codes, ({ request }) => request.codeHash))
    check(`code ${key}`, authorization, own);
  const session = createFamilyModel(clockMoves);
  for (const [key, own] of Map.groupBy(callsOn(calls, "session"), ({ request }) => request.sessionId)) {
    check(`session ${key}`, session, own);
  }
  for (const [key, own] of Map.groupBy(callsOn(calls, "account"), ({ request }) => request.accountId)) {
    check(`account ${key}`, accountModel, own);
  }
  return { violations, objects };
}

/** An account: it exists from its sign-up on, and a sign-up succeeds once. The state says whether it exists. */
const accountModel: Model<boolean, AccountRequest, AccountResult> = {
  initial: false,
  step(exists, { kind }, result) {
    if (kind === "sign-in") return result !== undefined && result.ok === exists ? exists : undefined;
    if (result === undefined || result.ok) return exists ? undefined : true;
    return exists ? true : undefined;
  },
  spent: (exists, { kind }) => exists || kind === "sign-in",
  missed: () => false,
  keyOf: String,
};

type ItemCall = Call<ItemRequest, ItemResult>;

/**
 * Returns the calls on each item, by "vault/item". A list of changes is a read of each item in it. A list of a whole vault is a read
 * of every item: those that it omits do not exist.
 */
function callsOnItems(calls: readonly RecordedCall[]): ReadonlyMap<string, readonly ItemCall[]> {
  const items = new Map<string, ItemCall[]>();
  const callsOf = (vaultId: string, itemId: string) => {
    const key = `${vaultId}/${itemId}`;
    const known = items.get(key) ?? [];
    items.set(key, known);
    return known;
  };
  for (const call of callsOn(calls, "item")) callsOf(call.request.vaultId, call.request.itemId).push(call);
  const idsOf = Map.groupBy(items.keys(), (key) => key.slice(0, key.indexOf("/")));
  for (const { request, result, begunAt, endedAt } of callsOn(calls, "vault")) {
    if (!result?.ok) continue;
    const read = (itemId: string, seen: ItemResult) =>
      callsOf(request.vaultId, itemId).push({ request: { kind: "get" }, result: seen, begunAt, endedAt });
    for (const { itemId, ...view } of result.items) read(itemId, { ok: true, ...view });
    if (request.after > 0 || result.more) continue;
    const listed = new Set(result.items.map(({ itemId }) => `${request.vaultId}/${itemId}`));
    for (const key of idsOf.get(request.vaultId) ?? []) {
      if (!listed.has(key)) read(key.slice(request.vaultId.length + 1), { ok: false, reason: "ITEM_NOT_FOUND" });
    }
  }
  return items;
}
