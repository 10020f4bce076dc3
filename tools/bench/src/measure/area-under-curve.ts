/** Returns the probability that a value of `one` exceeds a value of `other` (Mann-Whitney). 0.5: no difference. */
export function areaUnderCurve(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((value) => ({ value, own: true })), ...other.map((value) => ({ value, own: false }))];
  all.sort((a, b) => a.value - b.value);
  let ranks = 0;
  for (let at = 0; at < all.length; ) {
    let end = at;
    while (end < all.length && all[end]?.value === all[at]?.value) end += 1;
    // Equal values share the mean of their ranks.
    const rank = (at + 1 + end) / 2;
    ranks += rank * all.slice(at, end).filter(({ own }) => own).length;
    at = end;
  }
  return (ranks - (one.length * (one.length + 1)) / 2) / (one.length * other.length);
}
