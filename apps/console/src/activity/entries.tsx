import type { ActivityEntry } from "./activity.js";
import { actorInWords, hasFailed, inWords } from "./words.js";

const day = new Intl.DateTimeFormat("en", { dateStyle: "full" });
const hour = new Intl.DateTimeFormat("en", { timeStyle: "short" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "long" });

/** What happened, a list for each day, the newest first. */
export function Entries({ entries }: { readonly entries: readonly ActivityEntry[] }) {
  return byDay(entries).map(([name, ofDay]) => (
    <section key={name} aria-label={name} className="day">
      <h2>{name}</h2>
      <ul className="card">
        {ofDay.map((entry) => (
          <Entry key={entry.position} entry={entry} />
        ))}
      </ul>
    </section>
  ));
}

/** Groups entries, which are ordered by time, by their day in the time zone of the browser. */
export function byDay(entries: readonly ActivityEntry[]): readonly (readonly [day: string, ActivityEntry[]])[] {
  const days = new Map<string, ActivityEntry[]>();
  for (const entry of entries) {
    const name = day.format(new Date(entry.at));
    const ofDay = days.get(name) ?? [];
    days.set(name, ofDay);
    ofDay.push(entry);
  }
  return [...days];
}

function Entry({ entry }: { readonly entry: ActivityEntry }) {
  const { at, operation, subject, event, version, requestId } = entry;
  const time = new Date(at);
  return (
    <li>
      <div className="event">
        <h3 className={hasFailed(entry) ? "failed-title" : undefined}>
          {inWords(entry)}
          {hasFailed(entry) && " (failed)"}
        </h3>
        <span className="hint">{actorInWords(entry)}</span>
        <time dateTime={at} title={exact.format(time)} className="hint">
          {hour.format(time)}
        </time>
      </div>
      <details>
        <summary>Details for support</summary>
        <p className="hint">
          <code>{subject}</code>
          {version > 0 && `, version ${version}`}, {event}. <code>{operation}</code>, request <code>{requestId}</code>
        </p>
      </details>
    </li>
  );
}
