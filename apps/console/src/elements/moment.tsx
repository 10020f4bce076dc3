const format = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Returns a time in the time zone of the browser, such as `Nov 22, 2026, 1:50 PM`. @param at in ISO 8601 */
export function momentInWords(at: string): string {
  return format.format(new Date(at));
}

/** Shows a time in the time zone of the browser, such as `Nov 22, 2026, 1:50 PM`. @param at in ISO 8601 */
export function Moment({ at }: { readonly at: string }) {
  return <time dateTime={at}>{momentInWords(at)}</time>;
}

const units = [
  ["year", 365 * 24 * 60 * 60],
  ["month", 30 * 24 * 60 * 60],
  ["week", 7 * 24 * 60 * 60],
  ["day", 24 * 60 * 60],
  ["hour", 60 * 60],
  ["minute", 60],
] as const;

/** Returns how long ago a time was, such as `3 hours ago`. @param now in milliseconds since the epoch */
export function agoInWords(at: Date, now: number): string {
  const seconds = (at.getTime() - now) / 1000;
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", Number.POSITIVE_INFINITY];
  return unit === "second" ? "now" : relative.format(Math.trunc(seconds / size), unit);
}

interface AgoProps {
  readonly at: Date;
  /** Whether it has to be short, as in a list. */
  readonly brief?: boolean;
}

export function Ago({ at, brief = false }: AgoProps) {
  const exact = at.toISOString();
  return (
    <time dateTime={exact} title={format.format(at)}>
      {(brief ? briefly : agoInWords)(at, Date.now())}
    </time>
  );
}

const shortUnits = { year: "y", month: "mo", week: "w", day: "d", hour: "h", minute: "min" } as const;

/** Returns how long ago a time was, such as `3 h`. @param now in milliseconds since the epoch */
export function briefly(at: Date, now: number): string {
  const seconds = Math.max(0, (now - at.getTime()) / 1000);
  const found = units.find(([, size]) => seconds >= size);
  return found === undefined ? "now" : `${Math.trunc(seconds / found[1])} ${shortUnits[found[0]]}`;
}
