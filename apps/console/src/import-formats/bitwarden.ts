import { decryptExport } from "./bitwarden-encryption.js";
import { type Format, ImportError, type ImportedItem, type ReadItems, type Skipped } from "./format.js";
import { createItemBuilder, type ItemBuilder, monthOf, quoted, sortBuilt } from "./item-builder.js";
import { type Json, objectOf, objectsOf, parseJson, textOf, wordsOf } from "./json.js";

const program = "Bitwarden";

/** The JSON of Bitwarden, plain or with a password. */
export const bitwarden: Format = {
  name: "Bitwarden JSON",
  recognises: ({ text }) => text !== undefined && /^\uFEFF?\s*\{/.test(text),
  async read({ text = "" }, { password }) {
    const file = parseJson(text.replace(/^\uFEFF/, ""), program);
    const { encrypted } = file;
    return readItems(encrypted === true ? parseJson(await decryptExport(file, password), program) : file);
  },
};

function readItems({ items, folders, collections }: Json): ReadItems {
  if (!Array.isArray(items)) {
    throw new ImportError(
      "The file is JSON, but no export of Bitwarden: it has no list of items. Export your vault as JSON, and choose that file.",
    );
  }
  const names = new Map([...objectsOf(folders), ...objectsOf(collections)].map(({ id, name }) => [id, textOf(name)]));
  const skipped: Skipped[] = [];
  const built = items.map((item: unknown, index) => itemOf(objectOf(item), index, names, skipped));
  const sorted = sortBuilt(built);
  return { ...sorted, skipped: [...sorted.skipped, ...skipped] };
}

/** How the members of an item of Bitwarden are stored. */
interface KindMapping {
  readonly kind: string;
  /** The object with the members. */
  readonly member: string;
  /** The fields of members. Every other member becomes a field with its name. */
  readonly fields: Readonly<Record<string, string>>;
}

/** By the numbers of the types. */
const mappings: ReadonlyMap<unknown, KindMapping> = new Map([
  [
    1,
    { kind: "login", member: "login", fields: { username: "username", password: "password", totp: "one_time_code" } },
  ],
  [2, { kind: "secure_note", member: "secureNote", fields: {} }],
  [
    3,
    { kind: "card", member: "card", fields: { cardholderName: "cardholder", number: "number", code: "security_code" } },
  ],
  [
    4,
    {
      kind: "identity",
      member: "identity",
      fields: { firstName: "first_name", lastName: "last_name", email: "email", phone: "phone" },
    },
  ],
  [
    5,
    {
      kind: "ssh_key",
      member: "sshKey",
      fields: { privateKey: "private_key", publicKey: "public_key", keyFingerprint: "fingerprint" },
    },
  ],
]);

/** Members that are read in another way, or that say nothing about the item. */
const handled = new Set([
  ..."uri uris fido2Credentials passwordRevisionDate autofillOnPageLoad expMonth expYear type".split(" "),
  ..."address1 address2 address3 city state postalCode country".split(" "),
]);

/** Members of an identity that are not shown at once. */
const secretMembers = new Set(["ssn", "passportNumber", "licenseNumber"]);

function itemOf(
  item: Json,
  index: number,
  names: ReadonlyMap<unknown, string>,
  skipped: Skipped[],
): ImportedItem | Skipped {
  const { name, type, deletedDate, favorite, folderId, collectionIds, notes, fields, passwordHistory } = item;
  const title = textOf(name);
  const where = title === "" ? `Item ${index + 1}` : quoted(title);
  if (textOf(deletedDate) !== "") return { where, why: "The item is in the trash. Restore it, and export it again." };
  const mapping = mappings.get(type);
  if (mapping === undefined) {
    return { where, why: `Items of type ${textOf(type) || "unknown"} are not known here. Copy it by hand.` };
  }
  const builder = createItemBuilder(mapping.kind);
  builder.title = title;
  builder.favourite = favorite === true;
  for (const id of [folderId, ...(Array.isArray(collectionIds) ? collectionIds : [])]) {
    builder.tag(names.get(id) ?? "");
  }
  const members = objectOf(item[mapping.member]);
  const { fido2Credentials } = members;
  addMembers(builder, members, mapping);
  if (mapping.kind === "card") addExpiry(builder, members);
  if (mapping.kind === "identity") builder.add("address", addressOf(members));
  builder.add("notes", textOf(notes));
  for (const field of objectsOf(fields)) addField(builder, field);
  for (const { password, lastUsedDate } of objectsOf(passwordHistory)) {
    builder.addOther(`Password until ${textOf(lastUsedDate).slice(0, 10) || "before"}`, "secret", textOf(password));
  }
  const built = builder.build(where);
  if ("kind" in built && objectsOf(fido2Credentials).length > 0) {
    skipped.push({
      where,
      why: "Its passkey stays in Bitwarden. Everything else was read. Create a new passkey at the website.",
    });
  }
  return built;
}

function addMembers(builder: ItemBuilder, members: Json, { kind, fields }: KindMapping): void {
  const { uris: listed, uri: first } = members;
  const uris = objectsOf(listed).map(({ uri }) => textOf(uri));
  for (const uri of uris.length > 0 ? uris : [textOf(first)]) builder.add("website", uri);
  for (const [name, value] of Object.entries(members)) {
    const field = fields[name];
    if (field !== undefined) builder.add(field, textOf(value));
    else if (!handled.has(name)) {
      const isText = kind === "identity" ? !secretMembers.has(name) : name === "brand";
      builder.addOther(wordsOf(name), isText ? "text" : "secret", textOf(value));
    }
  }
}

function addExpiry(builder: ItemBuilder, { expMonth, expYear }: Json): void {
  const [month, year] = [textOf(expMonth), textOf(expYear)];
  const expires = monthOf(year, month);
  if (expires !== undefined) builder.add("expires", expires);
  else builder.addOther("Expires", "text", [month, year].filter((part) => part !== "").join("/"));
}

function addressOf(members: Json): string {
  const line = (...parts: readonly string[]) =>
    parts
      .map((name) => textOf(members[name]))
      .filter(Boolean)
      .join(" ");
  const lines = ["address1", "address2", "address3"].map((name) => line(name));
  return [...lines, line("postalCode", "city"), line("state"), line("country")].filter(Boolean).join("\n");
}

/** What a linked field shows. @see https://bitwarden.com/help/custom-fields/ */
const linkedNames: ReadonlyMap<unknown, string> = new Map([
  [100, "the username"],
  [101, "the password"],
]);

function addField(builder: ItemBuilder, { name, value, type, linkedId }: Json): void {
  const label = textOf(name);
  if (type === 3)
    builder.addOther(label, "text", `Linked to ${linkedNames.get(linkedId) ?? `field ${textOf(linkedId)}`}`);
  else if (type === 1) builder.addOther(label, "secret", textOf(value));
  else builder.addOther(label, /[\r\n]/.test(textOf(value)) ? "note" : "text", textOf(value));
}
