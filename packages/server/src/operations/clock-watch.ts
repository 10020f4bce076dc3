import { type ClockAgreement, decideReadClock, decideTrustClock } from "../domain/clock-agreement.js";
import { type MachineClocks, machineClocks } from "../ports/clock.js";
import type { Storage } from "../ports/storage.js";
import type { Call } from "./call.js";

/** What a clock watch compares, and where it keeps what it has seen. */
export interface ClockWatchOptions {
  readonly storage: Pick<Storage, "transact">;
  /** Differs between any two runs of a process, as a new UUID. */
  readonly runId: string;
  /** Default: the machine's. */
  readonly clocks?: MachineClocks;
}

/** Watches whether the wall clock can be trusted with work that cannot be undone. */
export interface ClockWatch {
  /** What the last reading found. False before the first one. */
  readonly trusted: boolean;
  /**
   * Compares the wall clock with the monotonic clock and with what earlier readings stored. To be called every few
   * seconds, and right before work that cannot be undone.
   *
   * @throws StorageError
   */
  read(): Promise<ClockAgreement>;
  /** Trusts the wall clock from now on: an operator has checked it. @throws StorageError */
  trust(call: Call): Promise<void>;
}

/**
 * Creates the watch that shredding and key rotation wait for.
 *
 * A step of more than an hour, against the monotonic clock or against the last run, takes the trust away until the clocks
 * have agreed for a day, or until an operator calls `trust`.
 *
 * @example
 * ```ts
 * import { createClockWatch } from "@platform-rpc/server";
 *
 * const clockWatch = createClockWatch({ storage, runId: "run-1" });
 * console.log((await clockWatch.read()).trusted);
 * // true
 * ```
 */
export function createClockWatch({ storage, runId, clocks = machineClocks }: ClockWatchOptions): ClockWatch {
  const reading = () => ({ runId, wall: clocks.wall(), monotonic: clocks.monotonic() });
  let trusted = false;
  return {
    get trusted() {
      return trusted;
    },

    async read() {
      const { outcome } = await storage.transact({ kind: "clock" }, (snapshot) => decideReadClock(snapshot, reading()));
      trusted = outcome.trusted;
      return outcome;
    },

    async trust({ actor, wanted }) {
      await storage.transact({ kind: "clock" }, () => decideTrustClock(reading(), actor), { wanted });
      trusted = true;
    },
  };
}
