import type { ActivityEntry } from "./activity.js";
import { actorInWords, inWords } from "./words.js";

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
