/**
 * Creates a queue that runs at most `perTurn` tasks in a turn of the event loop. When thousands of connections time out at
 * the same moment, other callers are served in between.
 */
export function createSpread(perTurn: number): (task: () => void) => void {
  let tasks: (() => void)[] = [];
  let taken = 0;
  const runSome = () => {
    const until = Math.min(taken + perTurn, tasks.length);
    while (taken < until) {
      const task = tasks[taken];
      taken += 1;
      task?.();
    }
    if (taken < tasks.length) {
      setImmediate(runSome);
      return;
    }
    tasks = [];
    taken = 0;
  };
  return (task) => {
    tasks.push(task);
    if (tasks.length === 1) setImmediate(runSome);
  };
}
