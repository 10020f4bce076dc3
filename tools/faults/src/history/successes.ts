import type { RecordedCall, RecordedRequest, RecordedResult } from "./journal.ts";

/** The kinds of calls that a run must contain. Without tokens that an administrator issues, most of them are not possible. */
const kinds = {
  item: ["get", "put", "delete", "restore"],
  vault: ["list"],
  code: ["exchange", "approve", "deny", "look", "revoke"],
  session: ["start", "refresh", "use", "revoke"],
  account: ["create", "sign-in"],
} as const satisfies Partial<Record<RecordedRequest["on"], readonly RecordedRequest["kind"][]>>;

/** The number of successes that each kind of call must have had in a run. */
export const enough = 3;

export function createSuccesses() {
  const counts = new Map(Object.entries(kinds).flatMap(([on, each]) => each.map((kind) => [`${on} ${kind}`, 0])));
  return {
    counts,
    add(request: RecordedRequest, result: RecordedResult | undefined): void {
      // Only tokens are a success of an exchange: a poll is none.
      if (!result?.ok || (request.kind === "exchange" && !("tokens" in result))) return;
      const kind = `${request.on} ${request.kind}`;
      const count = counts.get(kind);
      if (count !== undefined) counts.set(kind, count + 1);
    },
  };
}

/** Lists kinds of calls that had too few successes: a run in which nothing succeeded shows nothing. */
export function* findTooFew(calls: readonly RecordedCall[], minimum: number): Generator<string> {
  const { counts, add } = createSuccesses();
  for (const { request, result } of calls) add(request, result);
  for (const [kind, successes] of counts) {
    if (successes >= minimum) continue;
    yield `calls of the kind "${kind}" succeeded ${successes} times, and a run that shows something has at least ${minimum} successes`;
  }
}
