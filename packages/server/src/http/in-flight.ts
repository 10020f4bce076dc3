import type { TokenClaims } from "../domain/access.js";
import { unavailable } from "../rpc/failure.js";
import { refuse } from "../rpc/refusal.js";
import type { Limits } from "./limits.js";

/** How long a principal with too many calls in flight is asked to wait, in milliseconds. */
const pause = 1000;

/** Counts the admitted calls whose answers are not out yet: for the listener, and for each principal. */
export function createInFlight({ callsInFlight, callsInFlightPerPrincipal }: Limits) {
  const byPrincipal = new Map<string, number>();
  let all = 0;

  /**
   * Takes a place for a call, and returns the key to give it back with.
   *
   * @throws Refusal RATE_LIMITED when the principal has too many calls in flight, UNAVAILABLE when the listener has.
   */
  function enter({ tenantId, principalId }: TokenClaims): string {
    const principal = `${tenantId}\n${principalId}`;
    const own = byPrincipal.get(principal) ?? 0;
    if (own >= callsInFlightPerPrincipal) throw refuse("RATE_LIMITED", { retryAfterMs: pause });
    if (all >= callsInFlight) throw unavailable();
    byPrincipal.set(principal, own + 1);
    all += 1;
    return principal;
  }

  function leave(principal: string): void {
    const own = byPrincipal.get(principal) ?? 0;
    if (own <= 1) byPrincipal.delete(principal);
    else byPrincipal.set(principal, own - 1);
    all -= 1;
  }
  return { enter, leave };
}

export type InFlight = ReturnType<typeof createInFlight>;
