import type { Clock } from "./clock.js";

/** Leaves something alone that keeps failing: for a second, then for twice as long each time, at most for 30. */
export interface BackOff {
  /** Whether it is to be left alone now. */
  rests(): boolean;
  /** It has failed once more. */
  fail(): void;
  /** It works again, or is worth another try. */
  end(): void;
}

const shortestMs = 1_000;
const longestMs = 30_000;

export function createBackOff(clock: Clock): BackOff {
  let restMs = 0;
  let until = 0;
  return {
    rests() {
      const left = until - clock.now();
      // The clock may be set back: no rest is longer than it was meant to be.
      return left > 0 && left <= restMs;
    },
    fail() {
      restMs = Math.min(restMs * 2 || shortestMs, longestMs);
      until = clock.now() + restMs;
    },
    end() {
      restMs = 0;
    },
  };
}
