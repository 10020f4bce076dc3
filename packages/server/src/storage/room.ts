import { mostEarlierBytes } from "../domain/model/item.js";
import { StorageError } from "../ports/storage.js";

export interface Room {
  /** Records that the disk refused a write: it is full, or it fails. */
  refused(error: StorageError): void;
  /** @throws StorageError "full" while the disk has no room, and the last refusal for 15 s after it. */
  require(): void;
}

export interface RoomOptions {
  /** Returns the free bytes of the disk. Default: they are not known, and only refused writes show that there is no room. */
  readonly freeBytes?: (() => number) | undefined;
  /** The largest number of calls that are committed together. */
  readonly batchLimit: number;
}

const mebibyte = 1024 * 1024;

/** What the largest call writes: about its request, and the earlier contents of an item. */
const callBytes = 64 * 1024 + mostEarlierBytes;

/** For how long no write may have been refused where nothing else shows that there is room again, in milliseconds. */
const quietMs = 15_000;

/**
 * Creates the state of a disk, which does not change back and forth while the disk is almost full: small writes still succeed then,
 * and space comes and goes.
 *
 * There is room while 1 MiB and a batch of the largest calls fit. Once there was none, twice as much must be free. Where a write was
 * refused all the same, because of a quota, on the disk of another machine, or because the disk fails now and then, there is room after
 * 15 s without another refusal.
 */
export function createRoom({ freeBytes, batchLimit }: RoomOptions): Room {
  const enough = mebibyte + batchLimit * callBytes;
  let low = false;
  let refusal: { readonly error: StorageError; readonly at: number } | undefined;
  return {
    refused(error) {
      refusal = { error, at: performance.now() };
      // Before the first check: space that is freed then is noticed at once.
      if (error.reason === "full" && freeBytes !== undefined) low ||= freeBytes() < enough;
    },
    require() {
      if (freeBytes !== undefined) {
        const wasLow = low;
        low = freeBytes() < (wasLow ? 2 * enough : enough);
        if (low) throw new StorageError("full");
        // What was refused had no room, and has it now.
        if (wasLow && refusal?.error.reason === "full") refusal = undefined;
      }
      if (refusal !== undefined && performance.now() - refusal.at < quietMs) throw refusal.error;
    },
  };
}
