import type { TokenClaims } from "../domain/access.js";
import { rpcError } from "../rpc/rpc-error.js";
import { unavailable } from "../rpc/to-rpc-error.js";
import type { Limits } from "./limits.js";

/** How long a principal with too many calls in flight is asked to wait, in milliseconds. */
const pause = 1000;

/** The calls that one principal has in flight. */
export interface Place {
  readonly principal: string;
  calls: number;
}

/** Counts the admitted calls whose answers are not out yet: for the listener, and for each principal. */
export function createInFlight({ callsInFlight, callsInFlightPerPrincipal }: Limits) {
  const byPrincipal = new Map<string, Place>();
  let all = 0;

  /**
   * Takes a place for a call, and returns it, so that it can be given back.
   *
   * @throws RpcError RATE_LIMITED when the principal has too many calls in flight, UNAVAILABLE when the listener has.
   */
  function enter({ tenantId, principalId }: TokenClaims): Place {
    // With the length, no two principals share a key, whatever ids another issuer uses.
    const principal = `${tenantId.length} ${tenantId} ${principalId}`;
    let place = byPrincipal.get(principal);
    if (place !== undefined && place.calls >= callsInFlightPerPrincipal) {
      throw rpcError("RATE_LIMITED", { retryAfterMs: pause });
    }
    if (all >= callsInFlight) throw unavailable();
    if (place === undefined) {
      place = { principal, calls: 0 };
      byPrincipal.set(principal, place);
    }
    place.calls += 1;
    all += 1;
    return place;
  }

  function leave(place: Place): void {
    place.calls -= 1;
    all -= 1;
    if (place.calls === 0) byPrincipal.delete(place.principal);
  }
  return { enter, leave };
}

export type InFlight = ReturnType<typeof createInFlight>;
