/**
 * Returns a function that calls another one at once, then after a short time, and after twice as long each time up to once in an interval. The
 * last call is never lost: a list of 10,000 items takes longer to show than a page of it takes to arrive.
 */
export function throttle(call: () => void, everyMs: number): () => void {
  let wanted = false;
  let waiting = false;
  let waitMs = everyMs / 8;
  const run = () => {
    wanted = false;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      if (wanted) run();
    }, waitMs);
    waitMs = Math.min(2 * waitMs, everyMs);
    call();
  };
  return () => {
    if (waiting) wanted = true;
    else run();
  };
}
