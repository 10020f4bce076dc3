import { type ItemBuilder, quoted } from "./item-builder.js";
import { anyTextOf, type Json, textOf, wordsOf } from "./json.js";

export interface KindMapping {
  readonly kind: string;
  /** The fields of members. Every other member becomes a field with its name. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Returns a mapping of members that are called otherwise than the fields: `totp:one_time_code`. */
export function mappingOf(kind: string, members: string): KindMapping {
  const pairs = members.split(" ").filter((pair) => pair !== "");
  return { kind, fields: new Map(pairs.map((pair) => [pair.split(":")[0] ?? "", pair.split(":")[1] ?? pair])) };
}

/** Members that are shown at once. What is not known is hidden. */
const shown = new Set(
  [
    "title, first name, middle name, last name, full name, given name, surname, username, gender, nationality, job title, company",
    "organization, email, work email, phone number, second phone number, work phone number, website, personal website, ssid, brand",
    "bank name, name on account, account type, bank contact phone, license class, issuing country, issuing state, issuing authority",
  ].flatMap((labels) => labels.split(", ")),
);

/** Adds the members of an object, except those that are read in another way. */
export function addMembers(
  builder: ItemBuilder,
  members: Json,
  { fields }: KindMapping,
  handled: ReadonlySet<string>,
): void {
  for (const [name, value] of Object.entries(members)) {
    const field = fields.get(name);
    if (field !== undefined) builder.add(field, textOf(value));
    else if (!handled.has(name)) {
      const label = wordsOf(name);
      builder.addOther(label, shown.has(label.toLowerCase()) ? "text" : "secret", anyTextOf(value));
    }
  }
}

/** Returns the lines of an address. @param lines the names of the members in each line */
export function addressOf(members: Json, lines: readonly (readonly string[])[]): string {
  const textIn = (names: readonly string[]) => names.map((name) => textOf(members[name])).filter(Boolean);
  return lines
    .map((names) => textIn(names).join(" "))
    .filter(Boolean)
    .join("\n");
}

export function whereOf(title: string, index: number): string {
  return title === "" ? `Item ${index + 1}` : quoted(title);
}

/** Adds a password that an item had before. @param day the end of its use. Empty: unknown */
export function addOldPassword(builder: ItemBuilder, password: string, day: string): void {
  builder.addOther(`Password until ${day || "before"}`, "secret", password);
}
