import type { ContentField, FieldType, ItemContent } from "./item-content.js";
import { nameOfKind } from "./kinds.js";

/** A field that new items of a kind start with. */
export interface KindField {
  /** What is stored, so that programs find the field. */
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
}

const notes: KindField = { name: "notes", label: "Notes", type: "note" };

const fieldsByKind: ReadonlyMap<string, readonly KindField[]> = new Map([
  [
    "login",
    [
      { name: "username", label: "Username", type: "text" },
      { name: "password", label: "Password", type: "secret" },
      { name: "website", label: "Website", type: "url" },
      { name: "one_time_code", label: "One-time code", type: "totp" },
      notes,
    ],
  ],
  ["secure_note", [notes]],
  [
    "card",
    [
      { name: "cardholder", label: "Cardholder", type: "text" },
      { name: "number", label: "Number", type: "secret" },
      { name: "expires", label: "Expires", type: "month" },
      { name: "security_code", label: "Security code", type: "secret" },
      { name: "pin", label: "PIN", type: "secret" },
      notes,
    ],
  ],
  [
    "identity",
    [
      { name: "first_name", label: "First name", type: "text" },
      { name: "last_name", label: "Last name", type: "text" },
      { name: "email", label: "Email", type: "email" },
      { name: "phone", label: "Phone", type: "phone" },
      { name: "address", label: "Address", type: "note" },
      { name: "birthday", label: "Birthday", type: "date" },
      notes,
    ],
  ],
  [
    "ssh_key",
    [
      { name: "public_key", label: "Public key", type: "text" },
      { name: "private_key", label: "Private key", type: "secret" },
      { name: "fingerprint", label: "Fingerprint", type: "text" },
      notes,
    ],
  ],
  [
    "api_key",
    [
      { name: "key", label: "Key", type: "secret" },
      { name: "host", label: "Host", type: "text" },
      { name: "expires", label: "Expires", type: "date" },
      notes,
    ],
  ],
  ["file", [{ name: "file", label: "File", type: "file" }, notes]],
]);

const labels = new Map([...fieldsByKind.values()].flat().map(({ name, label }) => [name, label]));

/** Returns the fields that a new item of a kind starts with, in their order. A kind is an open string: others start with notes. */
export function fieldsOfKind(kind: string): readonly KindField[] {
  return fieldsByKind.get(kind) ?? [notes];
}

export function emptyFields(kind: string): readonly ContentField[] {
  return fieldsOfKind(kind).map(({ name, type }) => ({ name, type, value: "" }));
}

/** Returns whether a text has something to see: not only spaces and invisible characters. */
export function isVisible(text: string): boolean {
  return /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
}

/** Returns the title of an item, or what it is called without one: its website, or its kind. */
export function titleOf(kind: string, { title, fields }: Pick<ItemContent, "title" | "fields">): string {
  return isVisible(title) ? title : (websiteIn(fields) ?? nameOfKind(kind));
}

/** Returns the website of an item, as it can be a title: the host, if it is an address. */
export function websiteIn(fields: readonly ContentField[]): string | undefined {
  const website = fields.find(({ type, value }) => type === "url" && isVisible(value))?.value;
  return website && (URL.parse(website.includes("://") ? website : `https://${website}`)?.hostname || website);
}

/** Returns the name of a field for people: `one_time_code` is "One-time code". Another name is shown as words. */
export function labelOf(name: string): string {
  const label = labels.get(name);
  if (label !== undefined) return label;
  if (!isVisible(name)) return "Field without a name";
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
