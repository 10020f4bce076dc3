import { useMemo } from "react";
import { Icon } from "../elements/icon.js";
import { Link } from "../elements/link.js";
import { useLibrary } from "../vaults/library.js";
import { useVaultNames } from "../vaults/vault-names.js";
import type { ActivityEntry } from "./activity.js";
import { type Act, actsOf } from "./acts.js";
import { actorInWords, dayInWords, hasFailed, inWords, readable, severalInWords, splitAtObject } from "./words.js";

const hour = new Intl.DateTimeFormat("en", { timeStyle: "short" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "full", timeStyle: "long" });

/** What happened, a list for each day, the newest first. */
export function Entries({ entries }: { readonly entries: readonly ActivityEntry[] }) {
  const acts = useMemo(() => actsOf(entries), [entries]);
  const titleOf = useTitles();
  return byDay(acts, Date.now()).map(([name, ofDay]) => (
    <section key={name} aria-label={name} className="day">
      <h2>{name}</h2>
      <ul className="card">
        {ofDay.map((act) => (
          <ActLine key={act.entry.position} act={act} titleOf={titleOf} />
        ))}
      </ul>
    </section>
  ));
}

/** Groups acts, which are ordered by time, by their day in the time zone of the browser. */
function byDay(acts: readonly Act[], now: number): readonly (readonly [day: string, Act[]])[] {
  const days = new Map<string, Act[]>();
  for (const act of acts) {
    const name = dayInWords(new Date(act.entry.at), now);
    const ofDay = days.get(name) ?? [];
    days.set(name, ofDay);
    ofDay.push(act);
  }
  return [...days];
}

type TitleOf = (itemKey: string) => string | undefined;

/** Returns a function that names an item that this browser can open. */
function useTitles(): TitleOf {
  const { rows } = useLibrary();
  return useMemo(() => {
    const titles = new Map(rows.map(({ key, title }) => [key, title]));
    return (itemKey) => titles.get(itemKey) || undefined;
  }, [rows]);
}

function ActLine({ act, titleOf }: { readonly act: Act; readonly titleOf: TitleOf }) {
  const { entry, same, entries } = act;
  const isOne = same.length === 1;
  return (
    <li>
      <div className="event">
        <Icon name={entry.software === undefined ? (entry.by === "platform" ? "vault" : "person") : "agents"} />
        <h3 className={hasFailed(entry) ? "failed-title" : undefined}>
          {isOne ? <Told entry={entry} titleOf={titleOf} /> : severalInWords(entry, same.length)}
          {hasFailed(entry) && " (failed)"}
        </h3>
        <span className="hint">{actorInWords(entry)}</span>
        <time dateTime={entry.at} title={exact.format(new Date(entry.at))} className="hint">
          {hour.format(new Date(entry.at))}
        </time>
      </div>
      <details>
        <summary>{isOne ? "Details" : `All ${same.length}`}</summary>
        <ul>
          {entries.map((each) => (
            <Recorded key={each.position} entry={each} titleOf={titleOf} isToldHere={!isOne && same.includes(each)} />
          ))}
        </ul>
      </details>
    </li>
  );
}

/** What an entry says, with the title of its item or the name of its vault. */
function Told({ entry, titleOf }: { readonly entry: ActivityEntry; readonly titleOf: TitleOf }) {
  const nameOf = useVaultNames();
  const words = readable(inWords(entry), nameOf);
  const [, kind, vaultId = "", itemId] = /^(item|vault|member):([^/]+)\/?(.*)$/.exec(entry.subject) ?? [];
  const [before, after] = splitAtObject(words);
  if (kind === undefined || after === undefined) return words;
  if (kind !== "item") return [before, <bdi key="name">{nameOf(vaultId)}</bdi>, after];
  const key = `${vaultId}/${itemId}`;
  const title = titleOf(key);
  if (title === undefined) return words;
  return [
    before,
    <Link key={key} to={`/vaults/${vaultId}`} search={{ item: key }}>
      <bdi>{title}</bdi>
    </Link>,
    after,
  ];
}

interface RecordedProps {
  readonly entry: ActivityEntry;
  readonly titleOf: TitleOf;
  readonly isToldHere: boolean;
}

function Recorded({ entry, titleOf, isToldHere }: RecordedProps) {
  const { subject, version, event, operation, requestId } = entry;
  return (
    <li className="hint">
      {isToldHere && (
        <>
          <Told entry={entry} titleOf={titleOf} />.{" "}
        </>
      )}
      <code>{subject}</code>
      {version > 0 && `, version ${version}`}, {event}. <code>{operation}</code>, request <code>{requestId}</code>
    </li>
  );
}
