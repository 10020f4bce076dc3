import { type ContentField, type ItemContent, limits, writeContent } from "@platform-rpc/items/item-content";

interface Fitted {
  /** The item, and those with what does not fit into it. */
  readonly contents: readonly ItemContent[];
  /** What is different from the file, as sentences. */
  readonly changes: readonly string[];
}

/** In bytes. The fields of an item that are larger come last, and are divided. The others stay in the first item. */
const large = 1_000;

/** Keeps every value, in whole: only a file that is larger than an item is left out. */
export function fitContent({ title: wholeTitle, tags: wholeTags = [], fields: read, ...others }: ItemContent): Fitted {
  const changes: string[] = [];
  const moved: ContentField[] = [];
  const move = (name: string, value: string, why: string) => {
    moved.push({ name, type: "note", value });
    changes.push(`${why} The whole is in the field “${name}”.`);
  };
  const title = cut(wholeTitle, limits.title);
  if (title !== wholeTitle) move("Whole title", wholeTitle, "Its title is too long, and was cut.");
  const tags = bytesOf(wholeTags) > 4 * large ? [] : wholeTags;
  if (tags !== wholeTags) move("Tags", wholeTags.join("\n"), "Its tags are too long.");
  const long = read.filter(({ name }) => cut(name, limits.name) !== name).map(({ name }) => name);
  if (long.length > 0) {
    const whole = [...new Set(long)].join("\n\n");
    move("Whole names", whole, "The names of fields are too long, and were cut.");
  }
  const titleOf = (index: number) => (index === 0 ? title : `${cut(title, limits.title - 10)} (${index + 1})`);
  const empty = { ...others, title: titleOf(0), ...(tags.length > 0 && { tags }), fields: [] };
  const room = limits.bytes - new TextEncoder().encode(writeContent(empty)).byteLength - 20;
  const named = [...read, ...moved].map((field) => ({ ...field, name: cut(field.name, limits.name) }));
  const fields = named.filter((field) => {
    const fits = field.type !== "file" || bytesOf(field) <= room;
    if (!fits) changes.push(`Its file “${field.fileName}” is too large for an item, and was left out.`);
    return fits;
  });
  const parts = divide(fields, room);
  const contents = parts.map((part, index) => ({ ...empty, title: titleOf(index), fields: part }));
  const rest = contents.slice(1).map((content) => `“${cut(content.title, 80)}”`);
  const titles = rest.length > 2 ? `${rest[0]} to ${rest.at(-1)}` : rest.join(", ");
  if (rest.length > 0) changes.push(`It is larger than an item can be. The rest is in ${titles}.`);
  return { contents, changes };
}

interface Part {
  readonly fields: { readonly field: ContentField; readonly index: number }[];
  room: number;
}

/** Divides fields into as few parts as have room for them. Each part has the order of the whole. */
function divide(fields: readonly ContentField[], room: number): readonly (readonly ContentField[])[] {
  const parts: Part[] = [{ fields: [], room }];
  const listed = fields.map((field, index) => ({ field, index }));
  const isLarge = ({ field }: (typeof listed)[number]) => bytesOf(field) > large;
  for (const { field, index } of [...listed.filter((each) => !isLarge(each)), ...listed.filter(isLarge)]) {
    let rest: ContentField | undefined = field;
    for (let at = 0; rest !== undefined; at += 1) {
      const part = parts[at] ?? { fields: [], room };
      if (parts[at] === undefined) parts.push(part);
      if (part.fields.length === limits.fields) continue;
      const fits: boolean = rest.value.length <= part.room && bytesOf(rest) <= part.room;
      const first: ContentField | undefined = fits ? rest : startOf(rest, part.room);
      if (first === undefined) continue;
      part.fields.push({ field: first, index });
      part.room -= bytesOf(first);
      rest = first === rest ? undefined : { ...rest, value: rest.value.slice(first.value.length) };
    }
  }
  return parts.map((part) => part.fields.toSorted((one, other) => one.index - other.index).map(({ field }) => field));
}

/** Returns the start of a field that has at most that size. Undefined if it is not worth to divide it. */
function startOf(field: ContentField, bytes: number): ContentField | undefined {
  if (field.type === "file" || bytes < large) return undefined;
  let left = bytes - bytesOf({ ...field, value: "" });
  let end = 0;
  for (const character of field.value) {
    left -= bytesOf(character) - 3;
    if (left < 0) break;
    end += character.length;
  }
  const lineEnd = field.value.lastIndexOf("\n", end - 1) + 1;
  return { ...field, value: field.value.slice(0, lineEnd > end - large ? lineEnd : end) };
}

/** Returns what a value needs in the text of a content, and a comma. */
function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength + 1;
}

export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const characters = [...text.slice(0, 2 * length + 2)];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}
