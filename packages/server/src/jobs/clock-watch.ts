import { type ClockAgreement, compareClock, lastReading, readClock, trustClock } from "../domain/clock-agreement.js";
import { type MachineClocks, machineClocks } from "../ports/clock.js";
import type { Lease } from "../ports/lease.js";
import { refOf, type Storage } from "../ports/storage.js";
import type { Call } from "../services/call.js";

export interface ClockWatchOptions {
  readonly storage: Pick<Storage, "transact">;
  /** Unique to this run of the process, such as a new UUID. */
  readonly runId: string;
  /** Default: the machine's. */
  readonly clocks?: MachineClocks;
  /**
   * The lease of the process that stores its readings, if several processes share the storage. The others compare their wall clocks
   * with its readings. Default: this process stores its readings.
   */
  readonly lease?: Pick<Lease, "hold"> | undefined;
}

/** Reports whether the wall clock can be trusted with work that cannot be undone. */
export interface ClockWatch {
  /** The result of the last reading. False before the first one. */
  readonly trusted: boolean;
  /** The wall clock at the last reading, in milliseconds since the epoch. Undefined while it is not trusted. */
  readonly trustedTime: number | undefined;
  /**
   * Compares the wall clock with the monotonic clock and with the stored earlier readings. Call it every few seconds, and
   * right before work that cannot be undone.
   *
   * @throws StorageError
   */
  read(): Promise<ClockAgreement>;
  /** Trusts the wall clock from now on: an operator has checked it. @throws StorageError */
  trust(call: Call): Promise<void>;
}

/**
 * Creates the clock watch that shredding, purging and key rotation depend on.
 *
 * After a step of more than an hour, relative to the monotonic clock or to the last run, the wall clock is not trusted
 * until the clocks have agreed for a day, or until an operator calls `trust`.
 */
export function createClockWatch({ storage, runId, clocks = machineClocks, lease }: ClockWatchOptions): ClockWatch {
  const reading = () => ({ runId, wall: clocks.wall(), monotonic: clocks.monotonic() });
  let trustedTime: number | undefined;
  return {
    get trusted() {
      return trustedTime !== undefined;
    },

    get trustedTime() {
      return trustedTime;
    },

    async read() {
      const rule = lease === undefined || (await lease.hold()) ? readClock : compareClock;
      const { outcome } = await storage.transact(refOf(lastReading), rule(reading()));
      trustedTime = outcome.trusted ? outcome.now : undefined;
      return outcome;
    },

    async trust({ actor, wanted }) {
      const now = reading();
      await storage.transact(refOf(lastReading), trustClock(now, actor), { wanted });
      trustedTime = now.wall;
    },
  };
}
