import { createSpread, longestTimerMs } from "@platform-rpc/front/portable";
import { rpcError } from "../services/rpc-error.js";

export interface TimedCall {
  /** By the monotonic clock, in milliseconds. */
  readonly deadlineAt: number;
  fail(thrown: unknown): void;
}

export interface Deadlines {
  /** Starts the deadline of a call, and returns a function that stops it. Call that function once, when the call has ended. */
  start(call: TimedCall): () => void;
}

/** How often the shared timer checks the deadlines, in milliseconds. */
const intervalMs = 10;

/**
 * Creates deadlines that share one timer, which runs while there are calls. A timer for each call would take 3 % of the call's
 * time. If many deadlines pass together, their calls are ended over several turns of the event loop.
 */
export function createSharedDeadlines(): Deadlines {
  // Not a Set: when a Set is rehashed, its old table still references the calls and the new table. Once such tables are in the
  // old generation, each keeps the next one alive, and every ended call, until the next full garbage collection.
  const calls: (TimedCall | undefined)[] = [];
  const freePlaces: number[] = [];
  const spread = createSpread(25);
  let timer: NodeJS.Timeout | undefined;

  const endLate = () => {
    const now = performance.now();
    for (const [place, call] of calls.entries()) {
      if (call === undefined || now < call.deadlineAt) continue;
      calls[place] = undefined;
      spread(() => endCall(call));
    }
    if (freePlaces.length < calls.length) return;
    calls.length = 0;
    freePlaces.length = 0;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    start(call) {
      const place = freePlaces.pop() ?? calls.length;
      calls[place] = call;
      timer ??= setInterval(endLate, intervalMs);
      return () => {
        calls[place] = undefined;
        freePlaces.push(place);
      };
    },
  };
}

/** Creates deadlines with a timer for each call, for hosts such as workerd, where a timer belongs to a request. */
export function createSeparateDeadlines(): Deadlines {
  return {
    start(call) {
      const leftMs = call.deadlineAt - performance.now();
      const timer = leftMs <= longestTimerMs ? setTimeout(endCall, leftMs, call) : undefined;
      return () => clearTimeout(timer);
    },
  };
}

function endCall(call: TimedCall): void {
  call.fail(rpcError("DEADLINE_EXCEEDED"));
}
