import type { ContentField, ItemContent } from "./item-content.js";
import { labelOf } from "./kind-fields.js";
import { nameOfKind } from "./kinds.js";

interface ExportedItem {
  readonly kind: string;
  readonly content: ItemContent;
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
  const folderNames = new Set(items.flatMap(({ content }) => content.tags?.[0] ?? []));
  const folders = [...folderNames].map((name) => ({ id: crypto.randomUUID(), name }));
  const folderIds = new Map(folders.map(({ id, name }) => [name, id]));
  const written = items.map(({ kind, content }) => writeItem(kind, content, folderIds));
  return JSON.stringify({ encrypted: false, folders, items: written }, undefined, 2);
}

const types = { login: 1, secureNote: 2, card: 3, identity: 4, sshKey: 5 } as const;

function writeItem(kind: string, content: ItemContent, folderIds: ReadonlyMap<string, string>) {
  const { title, favourite, tags = [], fields, others = {} } = content;
  const [folder, ...otherTags] = tags;
  const left = createFieldTaker(fields.filter(({ type, value }) => type !== "file" && value !== ""));
  const notes = left.take("notes");
  const typed = typedPart(kind, left);
  const rest = left.all();
  const isLong = ({ type, value }: ContentField) => type !== "secret" && value.includes("\n");
  const longTexts = rest.filter(isLong).map(({ name, value }) => `${labelOf(name)}:\n${value}`);
  const custom = [
    // A kind that became a note.
    ...(typed.type === types.secureNote && kind !== "secure_note"
      ? [customField("Kind", nameOfKind(kind), false)]
      : []),
    ...(otherTags.length > 0 ? [customField("Tags", otherTags.join(", "), false)] : []),
    ...rest
      .filter((field) => !isLong(field))
      .map(({ name, type, value }) => customField(labelOf(name), value, type === "secret" || type === "totp")),
    ...Object.entries(others).map(([name, value]) => customField(name, JSON.stringify(value), true)),
  ];
  return {
    id: crypto.randomUUID(),
    organizationId: null,
    folderId: folder === undefined ? null : (folderIds.get(folder) ?? null),
    collectionIds: null,
    reprompt: 0,
    name: title === "" ? "Item without a title" : title,
    notes: [notes, ...longTexts].filter((text) => text !== null).join("\n\n") || null,
    favorite: favourite === true,
    fields: custom,
    ...typed,
  };
}

function customField(name: string, value: string, hidden: boolean) {
  return { name, value, type: hidden ? 1 : 0, linkedId: null };
}

/** The fields of an item that have not got their place yet. */
type FieldTaker = ReturnType<typeof createFieldTaker>;

function createFieldTaker(fields: readonly ContentField[]) {
  const left = new Set(fields);
  const takeWhere = (wanted: (field: ContentField) => boolean): string | null => {
    const found = [...left].find(wanted);
    if (found !== undefined) left.delete(found);
    return found?.value ?? null;
  };
  return {
    takeWhere,
    /** Takes the first field with one of the names. Null: there is none. */
    take: (...names: readonly string[]) => takeWhere(({ name }) => names.includes(name.toLowerCase())),
    has: (wanted: string) => [...left].some(({ name }) => name === wanted),
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
      // Importers reject a key that is not there.
      if (left.has("private_key")) return { type: types.sshKey, sshKey: sshKeyPart(left) };
  }
  return { type: types.secureNote, secureNote: { type: 0 } };
}

function loginPart(left: FieldTaker) {
  const uris: { readonly match: null; readonly uri: string }[] = [];
  const isAddress = ({ type }: ContentField) => type === "url";
  for (let uri = left.takeWhere(isAddress); uri !== null; uri = left.takeWhere(isAddress)) {
    uris.push({ match: null, uri });
  }
  return {
    uris,
    username: left.take("username") ?? left.take("user", "email"),
    password: left.take("password"),
    totp: left.takeWhere(({ type }) => type === "totp"),
  };
}

function cardPart(left: FieldTaker) {
  const month = left.takeWhere(({ name, value }) => name === "expires" && /^\d{4}-\d{2}$/.test(value));
  const [year = null, number = null] = month?.split("-") ?? [];
  return {
    cardholderName: left.take("cardholder", "holder"),
    brand: left.take("brand"),
    number: left.take("number"),
    // Without a zero in front, as Bitwarden writes it.
    expMonth: number === null ? null : String(Number(number)),
    expYear: year,
    code: left.take("security_code", "cvv", "cvc"),
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

function sshKeyPart(left: FieldTaker) {
  return {
    privateKey: left.take("private_key"),
    publicKey: left.take("public_key") ?? "",
    keyFingerprint: left.take("fingerprint") ?? "",
  };
}
