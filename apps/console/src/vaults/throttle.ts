/**
 * Returns a function that calls another one at once, and then at most once in each interval, so that the last call is never lost: a list
 * of 10,000 items takes longer to show than a page of it takes to arrive.
 */
export function throttle(call: () => void, everyMs: number): () => void {
  let wanted = false;
  let waiting = false;
  const run = () => {
    wanted = false;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      if (wanted) run();
    }, everyMs);
    call();
  };
  return () => {
    if (waiting) wanted = true;
    else run();
  };
}
