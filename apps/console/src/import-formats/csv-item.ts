import { fieldsOfKind } from "@platform-rpc/items/kind-fields";
import { readMonth } from "@platform-rpc/items/month";
import { type Cell, textsIn } from "./csv-cells.js";
import { type Meaning, typeOf } from "./csv-columns.js";
import { createItemBuilder, type ItemBuilder } from "./item-builder.js";

/** The kinds of items, by what programs call them in a column. */
const kinds: ReadonlyMap<string, string> = new Map([
  ["login", "login"],
  ["password", "login"],
  ["note", "secure_note"],
  ["securenote", "secure_note"],
  ["card", "card"],
  ["creditcard", "card"],
  ["paymentcard", "card"],
  ["identity", "identity"],
  ["name", "identity"],
  ["address", "identity"],
  ["sshkey", "ssh_key"],
]);

/** Returns the kind of an item that has no known one, by the values that it has. */
function guessedKind(has: (meaning: Meaning) => boolean, kindName: string): string {
  const ofLogins: readonly Meaning[] = ["password", "username", "website", "one_time_code", "email"];
  if (kindName === "" && has("number") && (has("security_code") || has("expires") || has("expiry_year"))) return "card";
  if (has("private_key") && !has("password")) return "ssh_key";
  if (ofLogins.some(has)) return "login";
  if (has("first_name") || has("last_name")) return "identity";
  return has("notes") || kindName !== "" ? "secure_note" : "login";
}

/** About the item, and not one of its values. */
const aboutItem: readonly Meaning[] = ["kind", "archived", "none"];

/** Collects the values of a row. What the kind of the item does not define becomes a field with the name that it had. */
export function itemOf(cells: readonly Cell[]): ItemBuilder {
  // A password can have nothing but spaces.
  const filled = cells.filter(({ text }) => text !== "");
  const cellOf = (wanted: Meaning) => filled.find(({ meaning, text }) => meaning === wanted && text.trim() !== "");
  const kindName = filled.findLast(({ meaning }) => meaning === "kind")?.text.trim() ?? "";
  const known = kinds.get(kindName.toLowerCase().replaceAll(/[\s_-]/g, ""));
  const kind = known ?? guessedKind((meaning) => cellOf(meaning) !== undefined, kindName);
  const item = createItemBuilder(kind);
  // A kind that is unknown here stays readable.
  if (known === undefined) item.addOther("Kind", "text", kindName);
  const title = cellOf("title") ?? (kind === "card" ? undefined : cellOf("cardholder"));
  item.title = title?.text ?? "";
  const used = new Set<string>();
  for (const cell of filled) {
    const { meaning, text } = cell;
    if (meaning === "folder") item.tag(text);
    else if (meaning === "tags") for (const tag of tagsIn(text)) item.tag(tag);
    else if (meaning === "favourite") item.favourite = /^(?:1|true|yes)$/i.test(text.trim());
    else if (cell !== title && !aboutItem.includes(meaning)) {
      const [field, values] = placeOf(cell, kind, cellOf);
      const isDefined = fieldsOfKind(kind).some(({ name }) => name === field);
      for (const value of values) {
        // Several columns of a program can have the same address.
        const key = field === "website" ? value : field;
        if (isDefined && !used.has(key)) item.add(field, value);
        else if (field !== "website" || !isDefined) item.addOther(cell.name, typeOf(meaning, value), value);
        used.add(key);
      }
    }
  }
  return item;
}

/** Returns the field in which a value belongs, and its values there. No field: one with the name that it had. */
function placeOf(
  { meaning, text }: Cell,
  kind: string,
  cellOf: (wanted: Meaning) => Cell | undefined,
): readonly [field: string, values: readonly string[]] {
  const isLogin = kind === "login";
  if (typeOf(meaning, text) !== typeOf(meaning, "")) return ["", [text]];
  if (meaning === "website" || (isLogin && meaning === "address" && /^(?:https?:\/\/|www\.)/i.test(text))) {
    return ["website", websitesIn(text)];
  }
  if (isLogin && meaning === "email" && cellOf("username") === undefined) return ["username", [text]];
  if (kind === "card" && meaning.startsWith("exp")) {
    const [month, year] = [cellOf("expiry_month")?.text, cellOf("expiry_year")?.text];
    const read = monthIn(meaning === "expires" ? text : `${month}/${year}`);
    if (read !== undefined) return ["expires", meaning === "expiry_month" ? [] : [read]];
  }
  return meaning === "expires" || (meaning === "birthday" && !/^\d{4}-\d\d-\d\d$/.test(text))
    ? ["", [text]]
    : [meaning, [text]];
}

const monthNames = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** Programs write months as shops do, with a day, and with the name of the month. */
function monthIn(text: string): string | undefined {
  const [, name = "", year = ""] = /^([a-z]{3})[a-z]*[,. -]+((?:20)?\d\d)$/i.exec(text.trim()) ?? [];
  const index = monthNames.indexOf(name.toLowerCase());
  return readMonth(index < 0 ? text.replace(/^(\d{4}([-/.])\d\d)\2\d\d(?!\d).*$/s, "$1") : `${index + 1}/${year}`);
}

/** Returns the addresses in a cell: there are commas or lines between them, or they are a list in JSON. */
function websitesIn(cell: string): readonly string[] {
  const list = textsIn(cell) ?? cell.split(/[\r\n]+|,(?=\s*(?:[a-z][a-z0-9+.-]*:\/\/))/i);
  return list.map((url) => url.trim()).filter((url) => url !== "");
}

function tagsIn(cell: string): readonly string[] {
  return textsIn(cell) ?? cell.replace(/^\s*\[(.*)\]\s*$/s, "$1").split(/[,;]/);
}
