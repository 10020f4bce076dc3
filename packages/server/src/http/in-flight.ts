import type { TokenClaims } from "../domain/model/access.js";
import { rpcError } from "../services/rpc-error.js";
import { unavailable } from "../services/to-rpc-error.js";
import type { Limits } from "./limits.js";

/** The retry delay for a principal with too many calls in flight, in milliseconds. */
const retryAfterMs = 1000;

/** How long a call waits until fewer are in flight, in milliseconds. */
const longestWaitMs = 5_000;

/** The calls that one principal has in flight. */
export interface Place {
  readonly principal: string;
  calls: number;
}

/** Creates a count of the admitted calls whose responses have not been sent: in total and for each principal. */
export function createInFlight({ callsInFlight, callsInFlightPerPrincipal }: Limits) {
  // With more calls at a time, no more calls end: they only wait for each other.
  const busyAt = Math.min(callsInFlight, Math.max(64, callsInFlight / 4));
  const byPrincipal = new Map<string, Place>();
  let all = 0;
  let admitting = 0;

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
    /** Counts a call while its caller is authenticated. It has no place yet. */
    admit<Caller>(caller: Promise<Caller>): Promise<Caller> {
      admitting += 1;
      return caller.finally(() => {
        admitting -= 1;
      });
    },
    /** Whether further calls of busy connections should wait. They leave places for other connections. */
    get isFull(): boolean {
      return all + admitting >= busyAt;
    },
    /** Returns whether a call has waited for so long that it is refused instead of making those behind it wait for longer. */
    isOverdue: (arrivedAt: number): boolean =>
      all + admitting >= busyAt && performance.now() - arrivedAt >= longestWaitMs,
    get calls(): number {
      return all;
    },
  };
}

export type InFlight = ReturnType<typeof createInFlight>;
