/** What the cells of a column are. */
export const meanings = {
  title: "Title",
  username: "Username",
  password: "Password",
  website: "Website",
  one_time_code: "One-time code",
  notes: "Notes",
  tags: "Tags or folder",
  favourite: "Favourite",
  kind: "Kind of item",
  fields: "More fields, one on each line",
  archived: "Archived",
  text: "Another field",
  secret: "Another field, hidden",
  none: "Leave out",
} as const;

export type Meaning = keyof typeof meanings;

/** How the columns of a table were read. */
export interface Columns {
  readonly header: readonly string[];
  readonly meanings: readonly Meaning[];
  /** The first rows, with secrets masked: the preview never needs them. */
  readonly samples: readonly (readonly string[])[];
}

/** Headers of the programs, in lower case and without spaces and underscores. */
const byHeader: ReadonlyMap<string, Meaning> = new Map([
  ...headers("title", "title name item itemname account"),
  ...headers("username", "username loginusername login user email emailaddress loginname"),
  ...headers("password", "password loginpassword pass"),
  ...headers("website", "url urls loginuri website websites uri loginurl webaddress"),
  ...headers("one_time_code", "otpauth logintotp totp otp otpsecret onetimepassword onetimecode otpurl"),
  ...headers("notes", "notes note extra comments comment notesplain"),
  ...headers("tags", "folder tags grouping group category vault collections"),
  ...headers("favourite", "favorite favourite fav"),
  ...headers("kind", "type"),
  ...headers("fields", "fields"),
  ...headers("archived", "archived"),
  ...headers("none", "guid timecreated timelastused timepasswordchanged reprompt archiveddate"),
]);

function headers(meaning: Meaning, names: string): readonly (readonly [string, Meaning])[] {
  return names.split(" ").map((name) => [name, meaning] as const);
}

/** Words in a header that show that its cells are secrets. */
const secretWords = /pass|secret|pin|key|token|code|cvv|cvc|number/i;

/** Returns what a header says about the cells of its column. */
export function meaningsOf(header: readonly string[]): readonly Meaning[] {
  const used = new Set<Meaning>();
  return header.map((name) => {
    const known = byHeader.get(name.toLowerCase().replaceAll(/[\s_-]/g, ""));
    const repeats: readonly (Meaning | undefined)[] = ["website", "tags", "none"];
    if (known !== undefined && (!used.has(known) || repeats.includes(known))) {
      used.add(known);
      return known;
    }
    return secretWords.test(name) ? "secret" : "text";
  });
}

const masked: readonly Meaning[] = ["password", "one_time_code", "secret", "fields", "notes"];

/** Returns a cell as the preview shows it. */
export function sampleOf(cell: string, meaning: Meaning): string {
  if (cell === "") return "";
  if (masked.includes(meaning)) return "••••••••";
  const start = [...cell.slice(0, 200)].slice(0, 60).join("");
  return start.length < cell.length ? `${start}…` : cell;
}
