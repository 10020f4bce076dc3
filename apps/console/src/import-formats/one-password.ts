import { encodeBase64url } from "@platform-rpc/accounts/keys/bytes";
import { limits } from "@platform-rpc/items/item-content";
import { strFromU8, type UnzipFileFilter, unzipSync } from "fflate";
import { type Format, ImportError, type ImportedItem, type ReadItems, type Skipped } from "./format.js";
import { createItemBuilder, type ItemBuilder, monthOf, quoted, sortBuilt } from "./item-builder.js";
import { isObject, type Json, objectOf, objectsOf, parseJson, textOf, wordsOf } from "./json.js";

/** In bytes. A zip file can claim to contain much more than it has bytes: nothing larger is decompressed. */
const most = {
  data: 64 * 1024 * 1024,
  file: Math.floor((limits.bytes * 3) / 4),
  files: 64 * 1024 * 1024,
  entries: 20_000,
};

/** The archive of 1Password 8: a zip file with `export.data`, and attachments in `files`. */
export const onePassword: Format = {
  name: "1Password 1PUX",
  recognises: ({ bytes }) => bytes[0] === 0x50 && bytes[1] === 0x4b,
  read({ bytes }) {
    const { data, files } = unzip(bytes);
    const { accounts } = parseJson(data, "1Password");
    const skipped: Skipped[] = [];
    const built = objectsOf(accounts)
      .flatMap(({ vaults }) => objectsOf(vaults))
      .flatMap(({ attrs, items }) => listOf(items).map((item) => ({ item, vault: nameIn(attrs) })))
      .map(({ item, vault }, index) => {
        if (!isObject(item)) return { where: `Item ${index + 1}`, why: "It has a form that is not known here." };
        return itemOf({ item: itemIn(item), vault, index, files }, skipped);
      });
    const sorted = sortBuilt(built);
    return { ...sorted, skipped: [...sorted.skipped, ...skipped] } satisfies ReadItems;
  },
};

/** The attachments by the ids of their documents. Undefined: too large for an item. */
type Files = ReadonlyMap<string, Uint8Array | undefined>;

function unzip(bytes: Uint8Array): { readonly data: string; readonly files: Files } {
  const files = new Map<string, Uint8Array | undefined>();
  let entries = 0;
  let total = 0;
  let tooLarge = false;
  const wanted = ({ name, originalSize }: { readonly name: string; readonly originalSize: number }) => {
    entries += 1;
    if (entries > most.entries) return false;
    if (name === "export.data") {
      tooLarge = originalSize > most.data;
      return !tooLarge;
    }
    if (!name.startsWith("files/")) return false;
    total += originalSize;
    const fits = originalSize <= most.file && total <= most.files;
    if (!fits) files.set(documentIdOf(name), undefined);
    return fits;
  };
  const unzipped = unzipOrThrow(bytes, wanted);
  if (tooLarge || entries > most.entries) {
    throw new ImportError("The file contains more than a browser can read at once. Export your vaults one by one.");
  }
  const data = unzipped["export.data"];
  if (data === undefined) {
    throw new ImportError(
      "The file is a zip file, but no export of 1Password: it has no export.data. Choose the file that ends in .1pux.",
    );
  }
  for (const [name, content] of Object.entries(unzipped)) {
    if (name.startsWith("files/")) files.set(documentIdOf(name), content);
  }
  return { data: strFromU8(data), files };
}

function unzipOrThrow(bytes: Uint8Array, filter: UnzipFileFilter) {
  try {
    return unzipSync(bytes, { filter });
  } catch {
    throw new ImportError("The file is not complete, or no zip file. Export it from 1Password again, as 1PUX.");
  }
}

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

function itemOf({ item, vault, index, files }: ItemInFile, skipped: Skipped[]): ImportedItem | Skipped {
  const { trashed, state, categoryUuid, favIndex } = item;
  const { overview: overviewIn, details } = item;
  const overview = objectOf(overviewIn);
  const { title: titleIn, tags } = overview;
  const { loginFields, password, notesPlain, documentAttributes, sections, passwordHistory } = objectOf(details);
  const title = textOf(titleIn);
  const where = title === "" ? `Item ${index + 1}` : quoted(title);
  if (trashed === true || state === "trashed") return { where, why: "The item is deleted in 1Password." };
  if (state === "archived") {
    return { where, why: "The item is archived. Take it out of the archive, and export it again." };
  }
  const kind = kinds.get(textOf(categoryUuid)) ?? "secure_note";
  const builder = createItemBuilder(kind);
  builder.title = title;
  builder.favourite = Number(favIndex) > 0;
  builder.tag(vault);
  for (const tag of Array.isArray(tags) ? tags : []) builder.tag(textOf(tag));
  const attached: Skipped[] = [];
  const attach = ({ fileName: named, documentId }: Json) => {
    const [fileName, content] = [textOf(named), files.get(textOf(documentId))];
    if (content !== undefined) builder.addFile(fileName, encodeBase64url(content));
    else
      attached.push({
        where,
        why: `Its file ${quoted(fileName)} is too large for an item, or not in the archive. The rest was read.`,
      });
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
    builder.addOther(`Password until ${dayOf(Number(time)) ?? "before"}`, "secret", textOf(value));
  }
  const built = builder.build(where);
  if ("kind" in built) skipped.push(...attached);
  return built;
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
    const month = monthOf(text.slice(0, 4), text.slice(4));
    return month === undefined
      ? ({ text, fieldType: "text" } as const)
      : ({ text: month, fieldType: "month" } as const);
  }
  if (type === "address") return { text: addressOf(objectOf(content)), fieldType: "note" } as const;
  if (isObject(content) || Array.isArray(content)) {
    return { text: JSON.stringify(content), fieldType: "secret" } as const;
  }
  return { text, fieldType: /[\r\n]/.test(text) ? "note" : "text" } as const;
}

function addressOf({ street, zip, city, state, country }: Json): string {
  const place = [textOf(zip), textOf(city)].filter(Boolean).join(" ");
  return [textOf(street), place, textOf(state), textOf(country)].filter(Boolean).join("\n");
}

/** Returns the day of a time in seconds, as it is stored. */
function dayOf(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) || seconds === 0 ? undefined : date.toISOString().slice(0, 10);
}
