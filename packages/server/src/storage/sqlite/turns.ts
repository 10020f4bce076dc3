import { setImmediate } from "node:timers/promises";

/**
 * Creates a function that long reads await before each further part. In each turn of the event loop, one of them continues, however
 * many there are, so that other calls wait for one part only.
 */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => setImmediate());
    return last;
  };
}
