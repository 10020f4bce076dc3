import { fieldsOfKind } from "@platform-rpc/items/kind-fields";
import { readMonth } from "@platform-rpc/items/month";
import { attachFile } from "./archive.js";
import { decryptExport } from "./bitwarden-encryption.js";
import {
  type Archive,
  type Format,
  ImportError,
  type ImportedItem,
  passkeys,
  type ReadItems,
  type Skipped,
  whyPutAway,
} from "./format.js";
import { createItemBuilder, type ItemBuilder, sortBuilt } from "./item-builder.js";
import { anyTextOf, isObject, type Json, objectOf, objectsOf, parseJson, textOf } from "./json.js";
import { addMembers, addOldPassword, addressOf, type KindMapping, mappingOf, whereOf } from "./members.js";

/** The JSON of Bitwarden, plain or with a password, and the zip file with attachments. */
export const bitwarden: Format = {
  name: "Bitwarden JSON",
  recognises: ({ json }) => json !== undefined,
  async read({ json = {}, archive }, { password }) {
    const { encrypted } = json;
    const file = encrypted === true ? parseJson(await decryptExport(json, password)) : json;
    return readItems(file, archive?.files ?? new Map());
  },
};

function readItems({ items, folders, collections }: Json, files: Files): ReadItems {
  if (!Array.isArray(items) || (items.length > 0 && !objectsOf(items).some((item) => "type" in item))) {
    throw new ImportError(
      "The file is JSON, but no export of a program that is known here: it has no list of items with types. Export your items as CSV, and choose that file.",
    );
  }
  const names = new Map([...objectsOf(folders), ...objectsOf(collections)].map(({ id, name }) => [id, textOf(name)]));
  return sortBuilt(items.flatMap((item: unknown, index) => itemOf({ item: objectOf(item), index, names, files })));
}

type Files = Archive["files"];

/** By the numbers of the types: the object with the members, and how they are stored. */
const types: ReadonlyMap<unknown, readonly [member: string, KindMapping]> = new Map([
  [1, ["login", mappingOf("login", "username password totp:one_time_code")]],
  [2, ["secureNote", mappingOf("secure_note", "")]],
  [3, ["card", mappingOf("card", "cardholderName:cardholder number code:security_code")]],
  [4, ["identity", mappingOf("identity", "firstName:first_name lastName:last_name email phone")]],
  [5, ["sshKey", mappingOf("ssh_key", "privateKey:private_key publicKey:public_key keyFingerprint:fingerprint")]],
]);

/** What items of other types become, such as bank accounts and passports. */
const otherType = mappingOf("secure_note", "");

/** Objects that every item can have, and that say nothing about it. */
const notMembers = ["permissions", "key"];

/** Members that are read in another way, or that say nothing about the item. */
const handled = new Set(
  "uri uris fido2Credentials passwordRevisionDate autofillOnPageLoad address1 address2 address3 city postalCode".split(
    " ",
  ),
);
const handledOf: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["card", new Set(["expMonth", "expYear"])],
  ["identity", new Set([...handled, "state", "country"])],
  ["secureNote", new Set(["type"])],
]);

interface ItemInFile {
  readonly item: Json;
  readonly index: number;
  /** The names of folders and collections by their ids. */
  readonly names: ReadonlyMap<unknown, string>;
  readonly files: Files;
}

function itemOf({ item, index, names, files }: ItemInFile): readonly (ImportedItem | Skipped)[] {
  const { id: itemId, name, type, deletedDate, archivedDate, favorite, folderId, collectionIds } = item;
  const { notes, fields, passwordHistory, attachments, login } = item;
  const title = textOf(name);
  const where = whereOf(title, index);
  if (textOf(deletedDate) !== "") return [{ where, why: whyPutAway.deleted }];
  if (textOf(archivedDate) !== "") return [{ where, why: whyPutAway.archived }];
  const [member, mapping = otherType] = types.get(type) ?? [];
  const objects = member === undefined ? Object.keys(item).filter((key) => isMember(item, key)) : [member];
  if (objects.length === 0 && textOf(notes) === "" && objectsOf(fields).length === 0) {
    return [{ where, why: `Items of type ${textOf(type) || "unknown"} are not known here. Copy it by hand.` }];
  }
  const builder = createItemBuilder(mapping.kind);
  builder.title = title;
  builder.favourite = favorite === true;
  for (const id of [folderId, ...(Array.isArray(collectionIds) ? collectionIds : [])]) {
    builder.tag(names.get(id) ?? "");
  }
  for (const object of objects) {
    const members = objectOf(item[object]);
    if (object === "login") addWebsites(builder, members);
    addMembers(builder, members, mapping, handledOf.get(object) ?? handled);
    if (object === "card") addExpiry(builder, members);
    if (object === "identity") builder.add("address", addressOf(members, addressLines));
  }
  builder.add("notes", textOf(notes));
  for (const field of objectsOf(fields)) addField(builder, field, mapping.kind);
  for (const { password, lastUsedDate } of objectsOf(passwordHistory)) {
    addOldPassword(builder, textOf(password), textOf(lastUsedDate).slice(0, 10));
  }
  const folder = `attachments/${textOf(itemId)}/`;
  const listed = objectsOf(attachments).map(({ fileName }) => folder + textOf(fileName));
  const paths = new Set([...listed, ...[...files.keys()].filter((path) => path.startsWith(folder))]);
  const parts = [...paths].flatMap((path) =>
    attachFile(builder, files.get(path), { where, fileName: path.slice(folder.length) }),
  );
  const { fido2Credentials } = objectOf(login);
  return [builder.build(where), ...parts, ...passkeys(where, fido2Credentials, "Bitwarden")];
}

function isMember(item: Json, key: string): boolean {
  return isObject(item[key]) && !notMembers.includes(key);
}

/** How a website is compared with an address, by its number. */
const matches = ["base domain", "host", "starts with", "exact", "regular expression", "never"];

function addWebsites(builder: ItemBuilder, { uris, uri: first }: Json): void {
  const listed = objectsOf(uris);
  for (const { uri, match } of listed.length > 0 ? listed : [{ uri: first, match: null }]) {
    const name = typeof match === "number" ? (matches[match] ?? "unknown") : undefined;
    // A regular expression is not an address.
    if (name !== "regular expression") builder.add("website", textOf(uri));
    if (name !== undefined && textOf(uri) !== "") builder.addOther("Website match", "text", `${textOf(uri)}: ${name}`);
  }
}

function addExpiry(builder: ItemBuilder, { expMonth, expYear }: Json): void {
  const [month, year] = [textOf(expMonth), textOf(expYear)];
  const expires = readMonth(`${month}/${year}`);
  if (expires !== undefined) builder.add("expires", expires);
  else builder.addOther("Expires", "text", [month, year].filter((part) => part !== "").join("/"));
}

const addressLines = [["address1"], ["address2"], ["address3"], ["postalCode", "city"], ["state"], ["country"]];

/** What a linked field shows. @see https://bitwarden.com/help/custom-fields/ */
const linkedNames: ReadonlyMap<unknown, string> = new Map([
  [100, "the username"],
  [101, "the password"],
]);

function addField(builder: ItemBuilder, { name, value, type, linkedId }: Json, kind: string): void {
  const label = textOf(name);
  // A field that the kind defines, and for which Bitwarden has no place.
  if (fieldsOfKind(kind).some((field) => field.name === label)) builder.add(label, textOf(value));
  else if (type === 3)
    builder.addOther(label, "text", `Linked to ${linkedNames.get(linkedId) ?? `field ${textOf(linkedId)}`}`);
  else builder.addOther(label, type === 0 || type === 2 ? "text" : "secret", anyTextOf(value));
}
