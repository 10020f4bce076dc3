import { createAuthorizationModel } from "../linear/authorization-model.ts";
import { createItemModel } from "../linear/item-model.ts";
import { findViolation, type Violation } from "../linear/linearize.ts";
import { fixture } from "../load/plan.ts";
import type { Objects } from "./objects.ts";

/** Lists the items and device authorizations whose calls are not linearizable. */
export function* findNotLinearizable({ items, codes }: Objects, clockMoves: boolean): Generator<string> {
  const kept = createItemModel(false);
  const shredded = createItemModel(true);
  for (const [key, calls] of items) {
    const model = key.startsWith(`${fixture.shreddingVault}/`) ? shredded : kept;
    const violation = findViolation(model, calls);
    if (violation !== undefined) yield describe(`item ${key}`, violation);
  }
  const authorization = createAuthorizationModel(clockMoves);
  for (const [key, calls] of codes) {
    const violation = findViolation(authorization, calls);
    if (violation !== undefined) yield describe(`code ${key}`, violation);
  }
}

function describe(object: string, { call, states }: Violation<unknown, unknown, unknown>): string {
  const { request, result, begunAt } = call;
  return (
    `${object}: no order of the calls explains ${JSON.stringify(request)} at ${begunAt} with the result ` +
    `${JSON.stringify(result)}. Before it, the state was ${[...new Set(states.map((state) => JSON.stringify(state)))].join(" or ")}.`
  );
}
