/** Returns a random integer from 0 to `count - 1`, for a count of at most 65,536. All are equally probable. */
export function randomBelow(count: number): number {
  // The remainder of a larger number would make small ones more probable.
  const end = 65_536 - (65_536 % count);
  for (;;) {
    const [random = 0] = crypto.getRandomValues(new Uint16Array(1));
    if (random < end) return random % count;
  }
}
