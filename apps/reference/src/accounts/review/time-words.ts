const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Formats a time, in ms since the epoch, such as `22 November 2026 at 13:50 UTC`. */
export function timeInWords(time: number): string {
  return `${date.format(time)} UTC`;
}

/** Formats the time between two times, in ms since the epoch, such as `2 minutes ago` or `in 8 minutes`. */
export function distanceInWords(time: number, now: number): string {
  const seconds = Math.round((time - now) / 1000);
  return Math.abs(seconds) < 60
    ? relative.format(seconds, "second")
    : relative.format(Math.trunc(seconds / 60), "minute");
}
