import { setTimeout as sleep } from "node:timers/promises";
import type { Actor, ListChangesResult } from "@platform-rpc/server/host";

/** A position in a vault of the tenant of who waits. */
export interface VaultPosition {
  readonly vaultId: string;
  readonly sequence: number;
}

export interface WaitOptions {
  /** Waits for a change after one of these. */
  readonly positions: readonly VaultPosition[];
  /** Waits at most this long, in milliseconds. */
  readonly ms: number;
  /** Ends the wait when the caller is gone. */
  readonly signal: AbortSignal;
  /** Whether to go on: for example, whether the caller's token is still valid. Asked while the call waits. */
  readonly goesOn: () => Promise<boolean>;
}

export type ChangeWatch = ReturnType<typeof createChangeWatch>;

interface Waiter {
  readonly afterSequence: number;
  readonly wake: () => void;
}

interface Watched {
  readonly tenantId: string;
  readonly vaultId: string;
  readonly waiters: Set<Waiter>;
}

/**
 * Creates a watch that reads the position of each watched vault every `everyMs` milliseconds: once for all calls that wait for it,
 * one vault at a time, and nothing while no call waits. It also finds the changes of other processes.
 */
export function createChangeWatch(deps: {
  readonly listChanges: (
    query: Pick<Watched, "tenantId" | "vaultId"> & { readonly afterSequence: number; readonly limit: number },
  ) => Promise<ListChangesResult>;
  readonly everyMs: number;
  /** How often each waiting call is asked whether it goes on, in milliseconds. */
  readonly checkEveryMs: number;
  readonly mostPerPrincipal: number;
  readonly mostInTotal: number;
}) {
  const { listChanges, everyMs, checkEveryMs, mostPerPrincipal, mostInTotal } = deps;
  const vaults = new Map<string, Watched>();
  const waitingOf = new Map<string, number>();
  let waitingInTotal = 0;
  let reading = false;
  let closed = false;

  const look = async ({ tenantId, vaultId, waiters }: Watched): Promise<void> => {
    const afterSequence = Math.min(...[...waiters].map((waiter) => waiter.afterSequence));
    // If it fails, each call reads again and returns its own error.
    const page = await listChanges({ tenantId, vaultId, afterSequence, limit: 1 }).catch(() => undefined);
    const sequence = page?.ok === true ? page.sequence : Number.POSITIVE_INFINITY;
    for (const waiter of waiters) if (waiter.afterSequence < sequence) waiter.wake();
  };

  const readWhileWatched = async (): Promise<void> => {
    if (reading) return;
    reading = true;
    while (vaults.size > 0) {
      await sleep(everyMs, undefined, { ref: false });
      for (const watched of [...vaults.values()]) if (watched.waiters.size > 0) await look(watched);
    }
    reading = false;
  };

  const watch = ({ tenantId, vaultId }: Pick<Watched, "tenantId" | "vaultId">, waiter: Waiter): (() => void) => {
    const key = JSON.stringify([tenantId, vaultId]);
    const watched = vaults.get(key) ?? { tenantId, vaultId, waiters: new Set() };
    vaults.set(key, watched);
    watched.waiters.add(waiter);
    void readWhileWatched();
    return () => {
      watched.waiters.delete(waiter);
      if (watched.waiters.size === 0 && vaults.get(key) === watched) vaults.delete(key);
    };
  };

  return {
    /**
     * Resolves when a vault has a change or the call does not go on, and no later than the options say. A wait may end early: check the
     * caller and read the changes again.
     * Resolves with false at once if too many calls wait, of the principal or in total.
     */
    async wait(
      { tenantId, principalId }: Pick<Actor, "tenantId" | "principalId">,
      { positions, ms, signal, goesOn }: WaitOptions,
    ): Promise<boolean> {
      if (closed || ms <= 0) return true;
      const principal = JSON.stringify([tenantId, principalId]);
      const waiting = waitingOf.get(principal) ?? 0;
      if (waiting >= mostPerPrincipal || waitingInTotal >= mostInTotal) return false;
      waitingOf.set(principal, waiting + 1);
      waitingInTotal += 1;
      const { promise, resolve: wake } = Promise.withResolvers<void>();
      const stops = positions.map(({ vaultId, sequence: afterSequence }) =>
        watch({ tenantId, vaultId }, { afterSequence, wake }),
      );
      const onAbort = () => wake();
      const timer = setTimeout(wake, ms);
      // If a check fails, the next one decides.
      const check = () =>
        goesOn().then(
          (on) => on || wake(),
          () => {},
        );
      const checking = setInterval(check, checkEveryMs);
      signal.addEventListener("abort", onAbort);
      if (signal.aborted) wake();
      await promise;
      signal.removeEventListener("abort", onAbort);
      clearTimeout(timer);
      clearInterval(checking);
      for (const stop of stops) stop();
      waitingInTotal -= 1;
      const left = (waitingOf.get(principal) ?? 1) - 1;
      if (left > 0) waitingOf.set(principal, left);
      else waitingOf.delete(principal);
      return true;
    },
    /** Ends all waits. Later ones end at once. */
    close() {
      closed = true;
      for (const { waiters } of vaults.values()) for (const { wake } of waiters) wake();
    },
  };
}
