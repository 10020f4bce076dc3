import { platformErrorOf } from "@platform-rpc/program";
import type { Terminal } from "../terminal.js";

const [shortestMs, longestMs] = [1_000, 30_000];

/** Makes a call that is safe to repeat; `again` after a failure. */
export type Reconnection = <Result>(call: (again: boolean) => Promise<Result>) => Promise<Result>;

/**
 * Creates a function that makes a call, and repeats it for as long as the platform cannot be reached: after 1 s, later every 30 s at
 * most. Notifies when the connection is lost and when it is back. Every other error is thrown, and so is every error before the first
 * call that succeeds.
 */
export function createReconnection({ sleep }: Pick<Terminal, "sleep">, notify: (text: string) => void): Reconnection {
  let connectedBefore = false;
  let failures = 0;
  return async (call) => {
    for (;;) {
      try {
        const result = await call(failures > 0);
        if (failures > 0) notify("Connected again.");
        connectedBefore = true;
        failures = 0;
        return result;
      } catch (thrown) {
        const error = platformErrorOf(thrown);
        if (!connectedBefore || !error?.retryable) throw thrown;
        if (failures === 0) {
          notify(`The platform cannot be reached (${error.reason}). Trying again until it can; Ctrl+C ends the watch.`);
        }
        await sleep(Math.max(error.retryAfterMs ?? 0, backOffMs(failures)));
        failures += 1;
      }
    }
  };
}

/** Doubles with each failure. Half of it is random, so that the watches of many people do not return at the same moment. */
function backOffMs(failures: number): number {
  const most = Math.min(longestMs, shortestMs * 2 ** failures);
  return most * (1 - Math.random() / 2);
}
