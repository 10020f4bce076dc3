import type { Call, Model } from "@platform-rpc/server/testing";
import { createAuthorizationModel, createItemModel } from "@platform-rpc/server/testing";
import { type CallOn, callsOn, type RecordedCall } from "../history/journal.ts";
import { accountModel } from "../linear/account-model.ts";
import { findViolation } from "../linear/linearize.ts";
import { createSessionModel } from "../linear/session-model.ts";
import { callsOnItems } from "./objects.ts";

/** What the check for linearizability has found. */
export interface Linearizability {
  readonly violations: readonly string[];
  /** The number of objects. */
  readonly objects: number;
}

/** Checks that the calls on each item, device authorization, sign-in and account are linearizable. */
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
  const session = createSessionModel(clockMoves);
  for (const [key, own] of Map.groupBy(callsOn(calls, "session"), ({ request }) => request.sessionId)) {
    check(`session ${key}`, session, own);
  }
  for (const [key, own] of Map.groupBy(callsOn(calls, "account"), ({ request }) => request.accountId)) {
    check(`account ${key}`, accountModel, own);
  }
  return { violations, objects };
}
