import { readMonth } from "@platform-rpc/items/month";
import { attachFile } from "./archive.js";
import { type Archive, type Format, type ImportedItem, type Skipped, whyPutAway } from "./format.js";
import { createItemBuilder, type ItemBuilder, sortBuilt } from "./item-builder.js";
import { isObject, type Json, objectOf, objectsOf, textOf, wordsOf } from "./json.js";
import { addOldPassword, addressOf, whereOf } from "./members.js";

/** The archive of 1Password 8: a zip file with `export.data`, and attachments in `files`. */
export const onePassword: Format = {
  name: "1Password 1PUX",
  recognises: ({ archive }) => archive?.dataName === "export.data",
  read({ archive, json }) {
    const files = new Map([...(archive?.files ?? [])].map(([name, content]) => [documentIdOf(name), content]));
    const { accounts } = objectOf(json);
    const built = objectsOf(accounts)
      .flatMap(({ vaults }) => objectsOf(vaults))
      .flatMap(({ attrs, items }) => listOf(items).map((item) => ({ item, vault: nameIn(attrs) })))
      .flatMap(({ item, vault }, index) => {
        if (!isObject(item)) return [{ where: whereOf("", index), why: "It has a form that is not known here." }];
        return itemOf({ item: itemIn(item), vault, index, files });
      });
    return sortBuilt(built);
  },
};

type Files = Archive["files"];

/** Files are called `files/<id>__<name>`. */
function documentIdOf(name: string): string {
  return name.slice("files/".length).split("__")[0] ?? "";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function nameIn(attrs: unknown): string {
  const { name } = objectOf(attrs);
  return textOf(name);
}

/** Older archives have each item in another object. */
function itemIn(listed: Json): Json {
  const { item } = listed;
  return isObject(item) ? item : listed;
}

/** The kinds by the numbers of the categories. A category without a kind is a note with fields. */
const kinds: ReadonlyMap<string, string> = new Map([
  ["001", "login"],
  ["005", "login"],
  ["110", "login"],
  ["102", "login"],
  ["111", "login"],
  ["002", "card"],
  ["004", "identity"],
  ["006", "file"],
  ["112", "api_key"],
  ["114", "ssh_key"],
]);

/** The fields by the ids in sections, for each kind. */
const fieldsById: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ["login", { username: "username", password: "password", url: "website" }],
  ["card", { cardholder: "cardholder", ccnum: "number", expiry: "expires", cvv: "security_code", pin: "pin" }],
  [
    "identity",
    {
      firstname: "first_name",
      lastname: "last_name",
      email: "email",
      defphone: "phone",
      address: "address",
      birthdate: "birthday",
    },
  ],
  ["api_key", { credential: "key", hostname: "host", expires: "expires" }],
]);

interface ItemInFile {
  readonly item: Json;
  readonly vault: string;
  readonly index: number;
  readonly files: Files;
}

function itemOf({ item, vault, index, files }: ItemInFile): readonly (ImportedItem | Skipped)[] {
  const { trashed, state, categoryUuid, favIndex } = item;
  const { overview: overviewIn, details } = item;
  const overview = objectOf(overviewIn);
  const { title: titleIn, tags } = overview;
  const { loginFields, password, notesPlain, documentAttributes, sections, passwordHistory } = objectOf(details);
  const title = textOf(titleIn);
  const where = whereOf(title, index);
  if (trashed === true || state === "trashed") return [{ where, why: whyPutAway.deleted }];
  if (state === "archived") return [{ where, why: whyPutAway.archived }];
  const kind = kinds.get(textOf(categoryUuid)) ?? "secure_note";
  const builder = createItemBuilder(kind);
  builder.title = title;
  builder.favourite = Number(favIndex) > 0;
  builder.tag(vault);
  for (const tag of Array.isArray(tags) ? tags : []) builder.tag(textOf(tag));
  const attached: Skipped[] = [];
  const attach = ({ fileName: named, documentId }: Json) => {
    attached.push(...attachFile(builder, files.get(textOf(documentId)), { where, fileName: textOf(named) }));
  };
  addWebsites(builder, overview, kind);
  for (const field of objectsOf(loginFields)) addLoginField(builder, field, kind);
  builder.add("password", textOf(password));
  builder.add("notes", textOf(notesPlain));
  if (isObject(documentAttributes)) attach(documentAttributes);
  for (const { title: section, fields } of objectsOf(sections)) {
    for (const field of objectsOf(fields)) {
      addSectionField(builder, field, { kind, section: textOf(section), attach });
    }
  }
  for (const { value, time } of objectsOf(passwordHistory)) {
    addOldPassword(builder, textOf(value), dayOf(Number(time)) ?? "");
  }
  return [builder.build(where), ...attached];
}

function addWebsites(builder: ItemBuilder, { url: first, urls }: Json, kind: string): void {
  const all = new Set([textOf(first), ...objectsOf(urls).map(({ url }) => textOf(url))]);
  for (const each of all) {
    if (kind === "login") builder.add("website", each);
    else builder.addOther("Website", "url", each);
  }
}

function addLoginField(builder: ItemBuilder, { value, name, designation, fieldType }: Json, kind: string): void {
  const text = textOf(value);
  const field = designation === "username" || designation === "password" ? designation : undefined;
  if (field !== undefined && kind === "login") builder.add(field, text);
  else {
    const types = { P: "secret", E: "email", U: "url", A: "note", TEL: "phone", T: "text", N: "text" } as const;
    const type = Object.entries(types).find(([letter]) => letter === fieldType)?.[1] ?? "text";
    builder.addOther(textOf(name) || wordsOf(field ?? ""), field === "password" ? "secret" : type, text);
  }
}

interface SectionPlace {
  readonly kind: string;
  readonly section: string;
  attach(file: Json): void;
}

function addSectionField(builder: ItemBuilder, field: Json, { kind, section, attach }: SectionPlace): void {
  const { id, title, value } = field;
  const [type, content] = Object.entries(objectOf(value))[0] ?? [];
  if (type === undefined) return;
  if (type === "file") {
    attach(objectOf(content));
    return;
  }
  if (type === "sshKey" && kind === "ssh_key") {
    const { privateKey, metadata } = objectOf(content);
    const { privateKey: other, publicKey, fingerprint } = objectOf(metadata);
    builder.add("private_key", textOf(privateKey) || textOf(other));
    builder.add("public_key", textOf(publicKey));
    builder.add("fingerprint", textOf(fingerprint));
    return;
  }
  const known = fieldsById.get(kind)?.[textOf(id)];
  const label = [section, textOf(title) || wordsOf(textOf(id))].filter((part) => part.trim() !== "").join(": ");
  const { text, fieldType } = readValue(type, content);
  const isOneTimeCode = type === "totp" && kind === "login";
  if (isOneTimeCode) builder.add("one_time_code", text);
  else if (known !== undefined && (known !== "expires" || fieldType === "month" || fieldType === "date")) {
    builder.add(known, text);
  } else builder.addOther(label, fieldType, text);
}

const addressLines = [["street"], ["zip", "city"], ["state"], ["country"]];

function readValue(type: string, content: unknown) {
  const text = textOf(content);
  if (type === "concealed" || type === "creditCardNumber") return { text, fieldType: "secret" } as const;
  if (type === "totp") return { text, fieldType: "totp" } as const;
  if (type === "url" || type === "phone") return { text, fieldType: type } as const;
  if (type === "email") {
    const { email_address } = objectOf(content);
    return { text: text || textOf(email_address), fieldType: "email" } as const;
  }
  if (type === "date") return { text: dayOf(Number(content)) ?? "", fieldType: "date" } as const;
  if (type === "monthYear") {
    const month = readMonth(text);
    return month === undefined
      ? ({ text, fieldType: "text" } as const)
      : ({ text: month, fieldType: "month" } as const);
  }
  if (type === "address") return { text: addressOf(objectOf(content), addressLines), fieldType: "note" } as const;
  if (isObject(content) || Array.isArray(content)) {
    return { text: JSON.stringify(content), fieldType: "secret" } as const;
  }
  return { text, fieldType: "text" } as const;
}

/** Returns the day of a time in seconds, as it is stored. */
function dayOf(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) || seconds === 0 ? undefined : date.toISOString().slice(0, 10);
}
