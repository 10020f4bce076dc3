import { typeOfName } from "./old-names.js";

/** The types of fields. `docs/items.md` says what the value of each is. */
export const fieldTypes = ["text", "secret", "url", "email", "phone", "date", "month", "totp", "note", "file"] as const;
export type FieldType = (typeof fieldTypes)[number];

/** What a content can contain. Titles and names are counted in Unicode characters, and the whole in bytes of UTF-8. */
export const limits = { title: 500, fields: 100, name: 100, bytes: 36_654, depth: 32 } as const;

export interface ItemContent {
  /** May be empty. */
  readonly title: string;
  readonly favourite?: true | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly fields: readonly ContentField[];
  /** What another program added. It is written again. */
  readonly others?: Others | undefined;
  /** Set if writing the content again would lose a part of it: its form is newer, or is not quite that of version 1. */
  readonly isReadOnly?: true | undefined;
}

export interface ContentField {
  readonly name: string;
  readonly type: FieldType;
  /** The type that another program chose, if it is unknown here: then `type` is `secret`. It is written again while `type` stays so. */
  readonly unknownType?: string | undefined;
  readonly value: string;
  /** The name of the file, if the field is one. */
  readonly fileName?: string | undefined;
  /** What another program added. It is written again. */
  readonly others?: Others | undefined;
}

/** Members of an object that this version does not define. */
type Others = Readonly<Record<string, unknown>>;

/**
 * Reads the text of a content: version 1, the form without a version, and of a newer version what it has in common with version 1.
 * Returns undefined if the text is none of these.
 */
export function readContent(text: string): ItemContent | undefined {
  const parsed = parseJson(text);
  if (!isRecord(parsed) || isDeeperThan(limits.depth, parsed)) return undefined;
  const { version } = parsed;
  return version === undefined ? readUnversioned(parsed) : readVersioned(parsed);
}

/** Reads the form that programs wrote before there were versions: fields are an object of names and values, without types. */
function readUnversioned(parsed: Others): ItemContent | undefined {
  const { title, fields = {} } = parsed;
  if (typeof title !== "string" || !isRecord(fields)) return undefined;
  const typed = Object.entries(fields).map(([name, value]) => ({ name, type: typeOfName(name), value: textOf(value) }));
  return readVersioned({ ...parsed, version: 1, fields: typed });
}

function readVersioned({ version, title, favourite, tags, fields, ...others }: Others): ItemContent {
  const read = listOf(fields).map(readField);
  const known = read.filter((field) => field !== undefined);
  const knownTags = listOf(tags).filter((tag) => typeof tag === "string");
  const content: ItemContent = {
    title: typeof title === "string" ? title : "",
    ...(favourite === true && { favourite }),
    ...(knownTags.length > 0 && { tags: knownTags }),
    fields: known.map(({ field }) => field),
    ...withOthers(others),
  };
  const isWhole =
    version === 1 &&
    typeof title === "string" &&
    (favourite === undefined || typeof favourite === "boolean") &&
    (tags === undefined || (Array.isArray(tags) && knownTags.length === tags.length)) &&
    Array.isArray(fields) &&
    read.every((field) => field?.isWhole);
  return isWhole ? content : { ...content, isReadOnly: true };
}

/** Reads a field, and whether writing it again loses nothing. Returns undefined if the value is not a field. */
function readField(value: unknown): { readonly field: ContentField; readonly isWhole: boolean } | undefined {
  if (!isRecord(value)) return undefined;
  const { name, type, value: content, fileName, ...others } = value;
  const known = fieldTypes.find((fieldType) => fieldType === type);
  const field = {
    name: typeof name === "string" ? name : "",
    type: known ?? "secret",
    ...(known === undefined && typeof type === "string" && { unknownType: type }),
    value: content === undefined ? "" : textOf(content),
    ...(typeof fileName === "string" && { fileName }),
    ...withOthers(others),
  };
  const texts = [name, type, content, fileName ?? ""];
  return { field, isWhole: texts.every((text) => typeof text === "string") && fileName !== null };
}

/** Returns the text of a content, in version 1. `sealItem` adds the content that it replaces. Check it with `contentProblem` first. */
export function writeContent(content: ItemContent): string {
  const { title, favourite, tags = [], fields, others } = content;
  return JSON.stringify({
    version: 1,
    title,
    ...(favourite && { favourite }),
    ...(tags.length > 0 && { tags }),
    fields: fields.map(writtenField),
    ...unlike(["version", "title", "favourite", "tags", "fields", "replaces"], others),
  });
}

function writtenField({ name, type, unknownType, value, fileName, others }: ContentField): Others {
  return {
    name,
    type: type === "secret" ? (unknownType ?? type) : type,
    value,
    ...(fileName !== undefined && { fileName }),
    ...unlike(["name", "type", "value", "fileName"], others),
  };
}

/** Returns why a content cannot be stored, as a sentence for people. */
export function contentProblem(content: ItemContent): string | undefined {
  const { title, fields, isReadOnly } = content;
  if (isReadOnly) return "Another program wrote this item, in a form that cannot be changed here. Use that program.";
  if (lengthOf(title) > limits.title) {
    return `The title has ${lengthOf(title)} characters. It can have at most ${limits.title}.`;
  }
  if (fields.length > limits.fields) {
    return `The item has ${fields.length} fields. It can have at most ${limits.fields}.`;
  }
  const long = fields.find(({ name }) => lengthOf(name) > limits.name);
  if (long) {
    const start = [...long.name].slice(0, 20).join("");
    return `The name of the field "${start}…" has ${lengthOf(long.name)} characters. It can have at most ${limits.name}.`;
  }
  const excess = new TextEncoder().encode(writeContent(content)).byteLength - limits.bytes;
  if (excess > 0) {
    return `The item is ${inBytes(excess)} too large. It can have ${inBytes(limits.bytes)}: shorten a text, or remove a file.`;
  }
  return undefined;
}

const inBytes = (count: number) => (count === 1 ? "1 byte" : `${count.toLocaleString("en")} bytes`);

function lengthOf(text: string): number {
  return [...text].length;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Others {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without this limit, `JSON.stringify` could exceed the stack: `JSON.parse` reads what is nested more deeply than that. */
function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeperThan(depth - 1, member));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function withOthers(others: Others): { readonly others?: Others } {
  return Object.keys(others).length > 0 ? { others } : {};
}

/** Returns the members that have none of the names. */
function unlike(names: readonly string[], others: Others = {}): Others {
  return Object.fromEntries(Object.entries(others).filter(([name]) => !names.includes(name)));
}
