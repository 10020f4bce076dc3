import type { ActivityEntry } from "./activity.js";

/** What somebody did: in one step, or the same several times in a row. */
export interface Act {
  /** The entry that says what it was. */
  readonly entry: ActivityEntry;
  /** The entries that say the same, the newest first. */
  readonly same: readonly ActivityEntry[];
  /** All that the server recorded for it. */
  readonly entries: readonly ActivityEntry[];
}

/** The kinds of subjects: of the entries of one step, those of the first kind tell what it was. */
const kinds = ["account", "vault", "item", "member", "delegation", "passkey", "session", "device-authorization"];

/** How many steps in a row that do the same become one act. */
const leastRun = 4;

/** Returns the acts of entries, which are ordered by time. The entries of one request are one act. */
export function actsOf(entries: readonly ActivityEntry[]): Act[] {
  const steps = grouped(entries, ({ requestId }) => requestId).map(actOf);
  const sameSteps = grouped(steps, ({ entry: { by, principalId, software, subject, event, at } }) =>
    JSON.stringify([by, principalId, software?.id, kindOf(subject), withoutCount(event), new Date(at).toDateString()]),
  );
  return sameSteps.flatMap((run) => (run.length < leastRun ? run : joined(run)));
}

function actOf(entries: readonly [ActivityEntry, ...ActivityEntry[]]): Act {
  const rankOf = ({ subject }: ActivityEntry) =>
    (kinds.indexOf(kindOf(subject)) + kinds.length + 1) % (kinds.length + 1);
  const entry = entries.reduce((first, other) => (rankOf(other) < rankOf(first) ? other : first));
  const same = entries.filter(
    ({ subject, event }) => kindOf(subject) === kindOf(entry.subject) && event === entry.event,
  );
  return { entry, same, entries };
}

function joined([newest, ...others]: readonly [Act, ...Act[]]): Act {
  const all = [newest, ...others];
  return { entry: newest.entry, same: all.flatMap(({ same }) => same), entries: all.flatMap(({ entries }) => entries) };
}

/** Groups neighbours with the same key. */
function grouped<Value>(values: readonly Value[], keyOf: (value: Value) => string): [Value, ...Value[]][] {
  const groups: [Value, ...Value[]][] = [];
  let key: string | undefined;
  for (const value of values) {
    const group = groups.at(-1);
    if (group !== undefined && key === keyOf(value)) group.push(value);
    else groups.push([value]);
    key = keyOf(value);
  }
  return groups;
}

/** Returns an event without the number in it that is another one each time: `used at example.com: 3 of 50`. */
function withoutCount(event: string): string {
  return event.replace(/^(used at .+): \d+(?: of \d+)?$/, "$1");
}

/** Returns the kind of a subject, such as `item` of `item:v-1/i-1`. */
function kindOf(subject: string): string {
  return subject.slice(0, Math.max(0, subject.indexOf(":")));
}
