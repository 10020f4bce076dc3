/** Reports whether a text is a calendar day as YYYY-MM-DD: 2027-02-29 is not. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Returns the days from one YYYY-MM-DD to another. NaN when either is not a calendar day. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000;
}

/** Returns the current day in UTC. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
