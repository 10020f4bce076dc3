import type { ActivityEntry } from "./activity.js";

const events: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  item: {
    created: "Created an item",
    replaced: "Changed an item",
    deleted: "Deleted an item",
    restored: "Restored an item",
    shredded: "Destroyed the content of a deleted item",
    "deleted for ever": "Deleted an item for ever",
    "use not sent": "Did not send the request with an item",
    "use may have been sent": "May have sent the request with an item",
  },
  vault: {
    created: "Created a vault",
    renamed: "Renamed a vault",
    deleted: "Deleted a vault",
    "key created": "Created the key of a vault",
    "exported: bitwarden-json": "Exported a vault as Bitwarden JSON, unencrypted",
    "exported: encrypted-file": "Exported a vault as an encrypted file",
  },
  member: { removed: "Removed a member from a vault" },
  account: {
    created: "Created the account",
    "vault keys handed to a program": "Unlocked the vaults for the command line",
    "certificate of a program removed": "Removed the certificate of a program",
    "recovery code replaced": "Replaced the recovery code",
    "member keys created": "Created the keys that sign items and open vaults",
    deleted: "Deleted the account",
  },
  principal: { activated: "Activated the account", deactivated: "Deactivated the account" },
  passkey: { added: "Added a passkey", renamed: "Renamed a passkey", removed: "Removed a passkey" },
  session: { ended: "Ended a session", locked: "Locked a browser" },
  "device-authorization": {
    started: "Asked for access",
  },
  "refresh-family": { opened: "Got access, until it is ended or expires" },
  delegation: { ended: "Removed the access of software" },
  grant: { granted: "Got a token", revoked: "Revoked a token" },
};

type Told = Pick<ActivityEntry, "subject" | "event" | "about">;

/** Returns what happened, in words. An unknown event is described by its own name. */
export function inWords({ subject, event, about = "software" }: Told): string {
  const kind = subject.slice(0, Math.max(0, subject.indexOf(":")));
  const known = events[kind]?.[event];
  if (known !== undefined) return known;
  if (kind === "item" && event.startsWith("used at "))
    return `Used an item ${event.slice(5).replace(/: (\d+ of \d+)$|: \d+$/, (_, count) => (count ? `, ${count}` : ""))}`;
  if (kind === "member" && event.startsWith("role ")) return `Gave a member of a vault the ${event}`;
  if (kind === "refresh-family" && event.startsWith("revoked: ")) return `Access of software ended: ${event.slice(9)}`;
  if (kind === "delegation" && event.startsWith("changed: ")) return `Changed what software may do: ${event.slice(9)}`;
  if (kind === "delegation" && event.startsWith("opened: ")) return `Got access with limits: ${event.slice(8)}`;
  if (kind === "device-authorization" && event.startsWith("burned: ")) return `No access was given: ${event.slice(8)}`;
  const [, how, browser] = /^signed in with (passkey|recovery code): (.+)$/.exec(event) ?? [];
  if (how !== undefined) return `Signed in with a ${how} in ${browser}`;
  const [, answer, limits] = /^(approved|denied)(: .+)?$/.exec(event) ?? [];
  if (answer !== undefined)
    return answer === "denied" ? `Denied ${about} access` : `Allowed ${about} to act${limits ?? ""}`;
  const [, what, host = "", decision] = /^(deletion|use) by .+?( at \S+)? (allowed|withdrawn)$/.exec(event) ?? [];
  if (decision !== undefined) {
    const act = what === "use" ? `use an item${host}` : "delete an item";
    return `${decision === "allowed" ? "Allowed" : "No longer allowed"} ${about} to ${act}`;
  }
  if (kind === "grant" && event.startsWith("granted by ")) return "Renewed a token";
  return event.charAt(0).toUpperCase() + event.slice(1);
}

const object = /\b(?:an? (?:deleted )?item|a vault)\b/;

/** Returns the words before and after what was acted on, so that its name can stand there; the words alone if they do not name it. */
export function splitAtObject(words: string): readonly [before: string, after?: string] {
  const found = object.exec(words);
  if (found === null) return [words];
  return [words.slice(0, found.index), words.slice(found.index + found[0].length)];
}

/** Returns what happened several times, in words, such as `Deleted 301 items`. */
export function severalInWords(entry: ActivityEntry, count: number): string {
  const [before, after] = splitAtObject(inWords(entry));
  if (entry.subject.startsWith("member:")) return inWords(entry).replace("a member", `${count} members`);
  if (entry.event.startsWith("used at ")) return `${before}items ${count} times${after}`;
  if (after === undefined) return `${before}, ${count} times`;
  return `${before}${count} ${entry.subject.startsWith("item:") ? "items" : "vaults"}${after}`;
}

const moment = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** Replaces the ids of vaults and the times in words of the server. */
export function readable(words: string, nameOf: (vaultId: string) => string): string {
  return (
    words
      .replace(/: vaults ([^,]+)/, (_, ids: string) =>
        ids === "none" ? ": no vaults" : `: ${ids.split(" ").map(nameOf).join(" and ")}`,
      )
      // What it may do is on its page.
      .replace(/, actions [^,]+/, "")
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => moment.format(new Date(at)))
  );
}

const day = new Intl.DateTimeFormat("en", { weekday: "long", month: "long", day: "numeric" });
const dayOfYear = new Intl.DateTimeFormat("en", { dateStyle: "full" });

/** Returns a day, such as `Today` or `Thursday, November 26`. @param now in milliseconds since the epoch */
export function dayInWords(at: Date, now: number): string {
  const today = new Date(now);
  const yesterday = new Date(now);
  yesterday.setDate(today.getDate() - 1);
  if (at.toDateString() === today.toDateString()) return "Today";
  if (at.toDateString() === yesterday.toDateString()) return "Yesterday";
  return (at.getFullYear() === today.getFullYear() ? day : dayOfYear).format(at);
}

/** Returns who did it. */
export function actorInWords({ by, principalId, software }: ActivityEntry): string {
  const person = { you: "You", member: `Member ${principalId}`, software: "", platform: "The platform" }[by];
  if (software === undefined) return person === "" ? "Software" : person;
  return by === "you" || by === "member"
    ? `${software.name}, for ${by === "you" ? "you" : `member ${principalId}`}`
    : software.name;
}

/** Returns whether an attempt failed. */
export function hasFailed({ event }: Pick<ActivityEntry, "event">): boolean {
  return event.endsWith(" failed") || event.startsWith("burned: ");
}

const columns: readonly (readonly [name: string, read: (entry: ActivityEntry) => string])[] = [
  ["Time", ({ at }) => at],
  ["Who", actorInWords],
  ["Software", ({ software }) => software?.id ?? ""],
  ["What", inWords],
  ["Operation", ({ operation }) => operation],
  ["Subject", ({ subject }) => subject],
  ["Event", ({ event }) => event],
  ["Version", ({ version }) => (version === 0 ? "" : String(version))],
  ["Request id", ({ requestId }) => requestId],
];

/**
 * Writes entries as CSV. A cell that a spreadsheet would run as a formula begins with an apostrophe.
 *
 * @see https://www.rfc-editor.org/rfc/rfc4180
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
export function toCsv(entries: readonly ActivityEntry[]): string {
  const rows = [columns.map(([name]) => name), ...entries.map((entry) => columns.map(([, read]) => read(entry)))];
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
