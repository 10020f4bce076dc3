/** How long the tasks of one turn of the event loop take together, in milliseconds. The last one may take longer. */
const turnMs = 5;
/** The same in a turn that accepts a connection: libuv accepts one for each turn, and more may be waiting. */
const acceptingTurnMs = 0.5;
/** How long a task is held at most, in milliseconds. */
const longestHoldMs = 5_000;
/** How long tasks are held at most while nothing ends that they wait for, in milliseconds. */
const stuckMs = 200;

/** A queue of tasks. Each queue of a thread runs one task after another, so that a long queue does not delay the others. */
export interface TaskQueue {
  /** Runs a task: now if this turn of the event loop has time left and no other task of the queue waits, otherwise in a later turn. */
  run(task: () => void): void;
  /** Whether no task waits. */
  readonly isEmpty: boolean;
}

/**
 * Creates queues whose tasks together take a limited time of each turn of the event loop. In between, the process accepts connections,
 * runs timers and reads what has arrived, however much work waits.
 */
export function createTurnTime() {
  /** The queues with waiting tasks. Each runs its first task, or returns false if that one is held. */
  const busy = new Set<() => boolean>();
  /** When the first task of this turn began. Undefined before. */
  let startedAt: number | undefined;
  let isAccepting = false;
  let isRunning = false;
  let isScheduled = false;
  /** Runs while tasks are held. */
  let holdTimer: NodeJS.Timeout | undefined;
  let isStuck = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(endTurn);
  }

  function hasTime(): boolean {
    const now = performance.now();
    startedAt ??= now;
    return now - startedAt < (isAccepting ? acceptingTurnMs : turnMs);
  }

  function runNow(task: () => void): void {
    isRunning = true;
    try {
      task();
    } finally {
      isRunning = false;
    }
  }

  /** Runs waiting tasks, one of each queue after the other, and ends the turn. */
  function endTurn(): void {
    isScheduled = false;
    startedAt = undefined;
    let progress = true;
    while (progress && hasTime()) {
      progress = false;
      for (const runFirst of busy) if (runFirst()) progress = true;
    }
    startedAt = undefined;
    isAccepting = false;
    if (busy.size === 0) isStuck = false;
    else if (progress) schedule();
    else holdTimer ??= setTimeout(endHold, stuckMs);
  }

  function endHold(): void {
    holdTimer = undefined;
    isStuck = true;
    schedule();
  }

  return {
    /** Creates a queue. While `isHeld` returns true, its waiting tasks are held, unless nothing moves. Default: never. */
    createQueue(isHeld: () => boolean = () => false): TaskQueue {
      const waiting: { readonly task: () => void; readonly since: number }[] = [];
      const runFirst = () => {
        const [first] = waiting;
        if (first === undefined) return false;
        if (isHeld() && !isStuck && performance.now() - first.since < longestHoldMs) return false;
        waiting.shift();
        if (waiting.length === 0) busy.delete(runFirst);
        runNow(first.task);
        return true;
      };
      return {
        run(task) {
          schedule();
          if (waiting.length === 0 && !isRunning && !isHeld() && hasTime()) {
            runNow(task);
            return;
          }
          waiting.push({ task, since: performance.now() });
          busy.add(runFirst);
        },
        get isEmpty() {
          return waiting.length === 0;
        },
      };
    },
    /** Makes the turn short, because a connection was accepted in it. */
    accepted(): void {
      isAccepting = true;
      schedule();
    },
    /** Looks for tasks that are no longer held, because something has ended. */
    wake(): void {
      isStuck = false;
      if (holdTimer === undefined) return;
      clearTimeout(holdTimer);
      holdTimer = undefined;
      schedule();
    },
    /** Whether a task is running. */
    get isRunning(): boolean {
      return isRunning;
    },
  };
}

/** The time of this thread, which all of its listeners share. */
export const turnTime = createTurnTime();
