export function milliseconds(value: number): string {
  return value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}
