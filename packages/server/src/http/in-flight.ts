import type { TokenClaims } from "../domain/model/access.js";
import { rpcError } from "../services/rpc-error.js";
import { unavailable } from "../services/to-rpc-error.js";
import type { Limits } from "./limits.js";

/** The retry delay for a principal with too many calls in flight, in milliseconds. */
const retryAfterMs = 1000;

/** The calls that one principal has in flight. */
export interface Place {
  readonly principal: string;
  calls: number;
}

/** Creates a count of the admitted calls whose responses have not been sent: in total and for each principal. */
export function createInFlight({ callsInFlight, callsInFlightPerPrincipal }: Limits) {
  const byPrincipal = new Map<string, Place>();
  let all = 0;

  /**
   * Counts a call, and returns the place to pass to `leave` when it ends.
   *
   * @throws RpcError RATE_LIMITED when the principal has too many calls in flight, UNAVAILABLE when all principals together have.
   */
  function enter({ tenantId, principalId }: TokenClaims): Place {
    // With the length, no two principals share a key, even if the ids of another issuer contain spaces.
    const principal = `${tenantId.length} ${tenantId} ${principalId}`;
    let place = byPrincipal.get(principal);
    if (place !== undefined && place.calls >= callsInFlightPerPrincipal) {
      throw rpcError("RATE_LIMITED", { retryAfterMs });
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
  return {
    enter,
    leave,
    get calls(): number {
      return all;
    },
  };
}

export type InFlight = ReturnType<typeof createInFlight>;
