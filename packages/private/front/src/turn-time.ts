/** How long the tasks of one turn of the event loop take together, in milliseconds. The last one may take longer. */
const turnMs = 5;
/** The same in a turn that accepts a connection: libuv accepts one for each turn, and more may be waiting. */
const acceptingTurnMs = 0.5;

/** A queue of tasks. Each queue of a thread runs one task after another, so that a long queue does not delay the others. */
export interface TaskQueue {
  /** Runs a task: now if this turn of the event loop has time left and no other task of the queue waits, otherwise in a later turn. */
  run(task: () => void): void;
  readonly isEmpty: boolean;
}

/**
 * Creates queues whose tasks together take a limited time of each turn of the event loop. In between, the process accepts connections,
 * runs timers and reads what has arrived, however much work waits.
 */
export function createTurnTime() {
  /** The queues with waiting tasks. Each runs its first task, or returns false if it must wait. */
  const busy = new Set<() => boolean>();
  /** When the first task of this turn began. Undefined before. */
  let startedAt: number | undefined;
  let isAccepting = false;
  let isScheduled = false;

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
    if (progress && busy.size > 0) schedule();
  }

  return {
    /** Creates a queue. Its tasks wait while `before` has any. */
    createQueue(before?: TaskQueue): TaskQueue {
      const waiting: (() => void)[] = [];
      const mayRun = () => before === undefined || before.isEmpty;
      const runFirst = () => {
        const first = mayRun() ? waiting.shift() : undefined;
        if (first === undefined) return false;
        if (waiting.length === 0) busy.delete(runFirst);
        first();
        return true;
      };
      return {
        run(task) {
          schedule();
          if (waiting.length === 0 && mayRun() && hasTime()) task();
          else {
            waiting.push(task);
            busy.add(runFirst);
          }
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
  };
}

/** The time of this thread, which all of its listeners share. */
export const turnTime = createTurnTime();
