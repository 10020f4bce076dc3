import type { ContentField, ItemContent } from "./item-content.js";
import { nameOfKind } from "./kinds.js";

interface ExportedItem {
  readonly kind: string;
  readonly content: ItemContent;
  /** The passwords that were replaced, the newest first. Default: none. */
  readonly passwords?: readonly { readonly value: string; readonly replacedAt: Date }[];
}

/** A file that is inside of an item. The format has no place for it. */
interface OmittedFile {
  readonly title: string;
  readonly fileName: string;
}

/** Lists the files of items, which `writeBitwardenJson` leaves out. */
export function omittedFiles(items: readonly ExportedItem[]): readonly OmittedFile[] {
  return items.flatMap(({ content: { title, fields } }) =>
    fields.filter(({ type }) => type === "file").map(({ fileName = "file" }) => ({ title, fileName })),
  );
}

/**
 * Writes items as the unencrypted JSON of Bitwarden, which other password managers import, too. What has no place of its own becomes a
 * custom field, or a part of the notes. The first tag becomes the folder.
 *
 * @see https://bitwarden.com/help/condition-bitwarden-import/
 */
export function writeBitwardenJson(items: readonly ExportedItem[]): string {
  const folderNames = new Set(items.flatMap(({ content }) => folderIn(content) ?? []));
  const folders = [...folderNames].map((name) => ({ id: crypto.randomUUID(), name }));
  const folderIds = new Map(folders.map(({ id, name }) => [name, id]));
  const written = items.map((item) => writeItem(item, folderIds));
  return JSON.stringify({ encrypted: false, folders, items: written }, undefined, 2);
}

/**
 * The longest texts that Bitwarden stores, in bytes of UTF-8. It limits what is encrypted, to 10,000, 5,000 and 1,000 characters: 72 of
 * them are no text, and the others are base64 of blocks of 16 bytes. It rejects a whole file if one text is longer.
 */
const most = { note: 7_439, value: 3_695, short: 687 } as const;

const types = { login: 1, secureNote: 2, card: 3, identity: 4, sshKey: 5 } as const;

function writeItem({ kind, content, passwords = [] }: ExportedItem, folderIds: ReadonlyMap<string, string>) {
  const { title, favourite, tags = [], fields, others = {} } = content;
  const folder = folderIn(content);
  const otherTags = tags.filter((tag) => tag !== folder);
  const left = createFieldTaker(fields.filter(({ type, value }) => type !== "file" && value !== ""));
  const notes = [left.take("notes", most.note) ?? ""];
  const typed = typedPart(kind, left);
  const custom: CustomField[] = [];
  if (bytesOf(title) > most.short) custom.push(...customFields("title", title, false));
  // A kind that became a note.
  if (typed.type === types.secureNote && kind !== "secure_note") {
    custom.push(...customFields("Kind", nameOfKind(kind), false));
  }
  if (otherTags.length > 0) custom.push(...customFields("Tags", otherTags.join(", "), false));
  for (const { name, type, value } of left.all()) {
    const longText = `${name}:\n${value}`;
    const isHidden = type === "secret" || type === "totp";
    if (!isHidden && value.includes("\n") && bytesOf([...notes, longText].join("\n\n")) <= most.note) {
      notes.push(longText);
    } else custom.push(...customFields(name, value, isHidden));
  }
  for (const [name, value] of Object.entries(others)) custom.push(...customFields(name, JSON.stringify(value), true));
  return {
    id: crypto.randomUUID(),
    organizationId: null,
    folderId: folder === undefined ? null : (folderIds.get(folder) ?? null),
    collectionIds: null,
    reprompt: 0,
    name: title === "" ? "Item without a title" : piecesOf(title, most.short)[0],
    notes: notes.filter((text) => text !== "").join("\n\n") || null,
    favorite: favourite === true,
    fields: custom,
    ...(passwords.length > 0 && { passwordHistory: passwordHistoryOf(passwords) }),
    ...typed,
  };
}

/** Returns the passwords that were replaced, without those that are too long for their place. */
function passwordHistoryOf(passwords: NonNullable<ExportedItem["passwords"]>) {
  const short = passwords.filter(({ value }) => bytesOf(value) <= most.value);
  return short.map(({ value, replacedAt }) => ({ lastUsedDate: replacedAt.toISOString(), password: value }));
}

/** Returns the tag that becomes the folder: the first that is not too long for one. */
function folderIn({ tags = [] }: ItemContent): string | undefined {
  return tags.find((tag) => bytesOf(tag) <= most.short);
}

interface CustomField {
  readonly name: string;
  readonly value: string;
  readonly type: 0 | 1;
  readonly linkedId: null;
}

/** Returns a custom field, or several with the parts of a value that is too long for one. */
function customFields(name: string, value: string, hidden: boolean): readonly CustomField[] {
  const pieces = piecesOf(value, most.value);
  return pieces.map((piece, index) => {
    const place = pieces.length === 1 ? "" : ` (part ${index + 1} of ${pieces.length})`;
    return {
      name: `${piecesOf(name, most.short - 30)[0]}${place}`,
      value: piece,
      type: hidden ? 1 : 0,
      linkedId: null,
    };
  });
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** Divides a text into parts of at most so many bytes. */
function piecesOf(text: string, bytes: number): readonly string[] {
  if (bytesOf(text) <= bytes) return [text];
  const pieces = [""];
  let left = bytes;
  for (const character of text) {
    left -= bytesOf(character);
    if (left < 0) {
      pieces.push("");
      left = bytes - bytesOf(character);
    }
    pieces[pieces.length - 1] += character;
  }
  return pieces;
}

/** The fields of an item that have not got their place yet. */
type FieldTaker = ReturnType<typeof createFieldTaker>;

function createFieldTaker(fields: readonly ContentField[]) {
  const left = new Set(fields);
  const takeWhere = (wanted: (field: ContentField) => boolean, longest: number): string | null => {
    const found = [...left].find((field) => wanted(field) && bytesOf(field.value) <= longest);
    if (found !== undefined) left.delete(found);
    return found?.value ?? null;
  };
  return {
    takeWhere,
    /** Takes the first field with a name that is not too long for its place. Null: there is none. */
    take: (wanted: string, longest: number = most.short) => takeWhere(({ name }) => name === wanted, longest),
    has: (wanted: string, longest: number) =>
      [...left].some(({ name, value }) => name === wanted && bytesOf(value) <= longest),
    all: () => [...left],
  };
}

/** The part that depends on the type of an item. */
function typedPart(kind: string, left: FieldTaker) {
  switch (kind) {
    case "login":
      return { type: types.login, login: loginPart(left) };
    case "card":
      return { type: types.card, card: cardPart(left) };
    case "identity":
      return { type: types.identity, identity: identityPart(left) };
    case "ssh_key":
      // Importers reject a key of which a part is missing.
      if (sshKeyMembers.every(([name, longest]) => left.has(name, longest)))
        return { type: types.sshKey, sshKey: sshKeyPart(left) };
  }
  return { type: types.secureNote, secureNote: { type: 0 } };
}

function loginPart(left: FieldTaker) {
  const uris: { readonly match: null; readonly uri: string }[] = [];
  const takeAddress = () => left.takeWhere(({ type }) => type === "url", most.note);
  for (let uri = takeAddress(); uri !== null; uri = takeAddress()) uris.push({ match: null, uri });
  return {
    uris,
    username: left.take("username"),
    password: left.take("password", most.value),
    totp: left.takeWhere(({ type }) => type === "totp", most.short),
  };
}

function cardPart(left: FieldTaker) {
  const month = left.takeWhere(({ name, value }) => name === "expires" && /^\d{4}-\d{2}$/.test(value), most.short);
  const [year = null, number = null] = month?.split("-") ?? [];
  return {
    cardholderName: left.take("cardholder"),
    brand: left.take("brand"),
    number: left.take("number"),
    // Without a zero in front, as Bitwarden writes it.
    expMonth: number === null ? null : String(Number(number)),
    expYear: year,
    code: left.take("security_code"),
  };
}

function identityPart(left: FieldTaker) {
  const [address1 = null, address2 = null, ...lines] = left.take("address")?.split("\n") ?? [];
  return {
    title: null,
    firstName: left.take("first_name"),
    middleName: null,
    lastName: left.take("last_name"),
    address1,
    address2,
    address3: lines.length > 0 ? lines.join(", ") : null,
    city: null,
    state: null,
    postalCode: null,
    country: null,
    company: left.take("company"),
    email: left.take("email"),
    phone: left.take("phone"),
    ssn: null,
    username: left.take("username"),
    passportNumber: null,
    licenseNumber: null,
  };
}

const sshKeyMembers = [
  ["private_key", most.value],
  ["public_key", most.value],
  ["fingerprint", most.short],
] as const;

function sshKeyPart(left: FieldTaker) {
  const [privateKey, publicKey, keyFingerprint] = sshKeyMembers.map(([name, longest]) => left.take(name, longest));
  return { privateKey, publicKey, keyFingerprint };
}
