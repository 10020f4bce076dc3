import type { ContentField, FieldType } from "@platform-rpc/items/item-content";
import { nameOfKind } from "@platform-rpc/items/kinds";

/** The types of fields that are not secret. Every other one is masked, also those that a later version may add. */
const shownTypes: readonly FieldType[] = ["text", "url", "email", "phone", "date", "month", "note", "file"];

export function isSecret(type: FieldType): boolean {
  return !shownTypes.includes(type);
}

/** A field of an item in two of its states. Undefined: it is not in that state. */
export interface ComparedField {
  /** Unique: fields may have equal names. */
  readonly key: string;
  readonly seen: ContentField | undefined;
  readonly now: ContentField | undefined;
}

interface Compared {
  readonly kind?: string | undefined;
  readonly title?: string | undefined;
  readonly fields?: readonly ContentField[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly favourite?: true | undefined;
}

/** Compares two states of an item: its kind if it is given, its title, its tags and mark, and every field that is in one of them. */
export function compareContents(seen: Compared | undefined, now: Compared | undefined): readonly ComparedField[] {
  const [before, after] = [allOf(seen), allOf(now)];
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return keys.map((key) => ({ key, seen: before.get(key), now: after.get(key) }));
}

function allOf(state: Compared = {}): ReadonlyMap<string, ContentField> {
  const { kind, tags = [], favourite } = state;
  const rest = { kind: kind && nameOfKind(kind), tags: tags.join(", "), favourite: favourite && "Yes" };
  const fields = Object.entries(rest).flatMap(([name, value]) =>
    value ? [[name, { name, type: "text", value }] as const] : [],
  );
  return new Map<string, ContentField>([...partsOf(state), ...fields]);
}

/** Returns whether a field contains something: also a file without any bytes. */
export function isFilled({ value, fileName }: ContentField): boolean {
  return value !== "" || fileName !== undefined;
}

/** Returns the title and the fields of a content that contain something. Fields with equal names are told apart by their order. */
export function partsOf({ title = "", fields = [] }: Compared = {}): ReadonlyMap<string, ContentField> {
  const counts = new Map<string, number>();
  const parts = fields.map((field) => {
    const count = (counts.get(field.name) ?? 0) + 1;
    counts.set(field.name, count);
    return [`${field.name} ${count}`, field] as const;
  });
  const titled = [["title", { name: "title", type: "text", value: title }] as const, ...parts];
  return new Map<string, ContentField>(titled.filter(([, field]) => isFilled(field)));
}

export function isSameField(one: ContentField | undefined, other: ContentField | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
