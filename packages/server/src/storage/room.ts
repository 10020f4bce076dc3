import { StorageError } from "../ports/storage.js";

export interface Room {
  /** Records that a write was refused because the disk is full. */
  refused(): void;
  /** @throws StorageError "full" while the disk has no room. */
  require(): void;
}

export interface RoomOptions {
  /** Returns the free bytes of the disk. Default: they are not known, and only refused writes show that there is no room. */
  readonly freeBytes?: (() => number) | undefined;
  /** The largest number of calls that are committed together. */
  readonly batchLimit: number;
}

const mebibyte = 1024 * 1024;

/** The largest request: of each call, about as much is written. */
const callBytes = 64 * 1024;

/** For how long no write may have been refused where nothing else shows that there is room again, in milliseconds. */
const quietMs = 15_000;

/**
 * Creates the state of a disk, which does not change back and forth while the disk is almost full: small writes still succeed then,
 * and space comes and goes.
 *
 * There is room while 1 MiB and a batch of the largest calls fit. Once there was none, twice as much must be free. Where a write was
 * refused all the same, because of a quota or on the disk of another machine, there is room after 15 s without another refusal.
 */
export function createRoom({ freeBytes, batchLimit }: RoomOptions): Room {
  const enough = mebibyte + batchLimit * callBytes;
  let low = false;
  let refusedAt = Number.NEGATIVE_INFINITY;
  return {
    refused() {
      refusedAt = performance.now();
    },
    require() {
      if (freeBytes !== undefined) {
        const wasLow = low;
        low = freeBytes() < (wasLow ? 2 * enough : enough);
        if (low) throw new StorageError("full");
        // What was refused had no room, and has it now.
        if (wasLow) refusedAt = Number.NEGATIVE_INFINITY;
      }
      if (performance.now() - refusedAt < quietMs) throw new StorageError("full");
    },
  };
}
