import { rpcError } from "../rpc/rpc-error.js";
import { createSpread } from "./spread.js";
import { longestTimerMs } from "./timer.js";

/** A call with a deadline. */
export interface TimedCall {
  /** By the monotonic clock, in milliseconds. */
  readonly deadlineAt: number;
  fail(thrown: unknown): void;
}

/** Ends calls at their deadlines. */
export interface Deadlines {
  start(call: TimedCall): void;
  stop(call: TimedCall): void;
}

/** How often the shared timer checks the deadlines, in milliseconds. */
const intervalMs = 10;

/**
 * Creates deadlines that share one timer, which runs while there are calls. A timer for each call would take 3 % of the call's
 * time. If many deadlines pass together, their calls are ended over several turns of the event loop.
 */
export function createSharedDeadlines(): Deadlines {
  const calls = new Set<TimedCall>();
  const spread = createSpread(25);
  let timer: NodeJS.Timeout | undefined;

  const endLate = () => {
    const now = performance.now();
    for (const call of calls) {
      if (now < call.deadlineAt) continue;
      calls.delete(call);
      spread(() => endCall(call));
    }
    if (calls.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    start(call) {
      calls.add(call);
      timer ??= setInterval(endLate, intervalMs);
    },
    stop(call) {
      calls.delete(call);
    },
  };
}

/** Creates deadlines with a timer for each call, for hosts such as workerd, where a timer belongs to a request. */
export function createSeparateDeadlines(): Deadlines {
  const timers = new WeakMap<TimedCall, NodeJS.Timeout>();
  return {
    start(call) {
      const leftMs = call.deadlineAt - performance.now();
      if (leftMs <= longestTimerMs) timers.set(call, setTimeout(endCall, leftMs, call));
    },
    stop(call) {
      clearTimeout(timers.get(call));
    },
  };
}

function endCall(call: TimedCall): void {
  call.fail(rpcError("DEADLINE_EXCEEDED"));
}
