import type { ContentField, FieldType } from "@platform-rpc/items/item-content";

/** The types of fields that are not secret. Every other one is masked, also those that a later version may add. */
const shownTypes: readonly FieldType[] = ["text", "url", "email", "phone", "date", "month", "note", "file"];

/** Returns whether a field is shown only when the person wants to see it. */
export function isSecret(type: FieldType): boolean {
  return !shownTypes.includes(type);
}

/** Returns the address that a field contains, which the person can open. Undefined if it contains none of the web. */
export function addressOf({ type, value }: Pick<ContentField, "type" | "value">): string | undefined {
  if (type !== "url") return undefined;
  const address = /^[a-z][a-z\d+.-]*:/i.test(value) ? value : `https://${value}`;
  if (!URL.canParse(address)) return undefined;
  const { protocol, href } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? href : undefined;
}

/** A field of an item in two of its states. Undefined: it is not in that state. */
export interface ComparedField {
  /** Unique: fields may have equal names. */
  readonly key: string;
  readonly name: string;
  readonly type: FieldType;
  readonly seen: string | undefined;
  readonly now: string | undefined;
}

/** What of a state is compared. */
interface Compared {
  readonly title?: string | undefined;
  readonly fields?: readonly ContentField[] | undefined;
}

/** Compares two states of an item: its title, and every field that is in one of them. */
export function compareContents(seen: Compared | undefined, now: Compared | undefined): readonly ComparedField[] {
  const [before, after] = [byKey(seen?.fields), byKey(now?.fields)];
  const fields = [...new Map([...after, ...before]).values()].map(({ key, name, type }) => ({
    ...{ key, name, type },
    seen: before.get(key)?.value,
    now: after.get(key)?.value,
  }));
  const inOrder = [...new Set([...before.keys(), ...after.keys()])];
  fields.sort((one, other) => inOrder.indexOf(one.key) - inOrder.indexOf(other.key));
  return [{ key: "title", name: "title", type: "text", seen: seen?.title, now: now?.title }, ...fields];
}

/** Fields with equal names are told apart by their order. */
function byKey(fields: readonly ContentField[] = []) {
  const counts = new Map<string, number>();
  return new Map(
    fields.map((field) => {
      const count = (counts.get(field.name) ?? 0) + 1;
      counts.set(field.name, count);
      const key = `${field.name} ${count}`;
      return [key, { key, ...field }] as const;
    }),
  );
}
