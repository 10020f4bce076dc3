import type { FieldType } from "@platform-rpc/items/item-content";
import { fieldsOfKind } from "@platform-rpc/items/kind-fields";
import { readMonth } from "@platform-rpc/items/month";
import { attachFile } from "./archive.js";
import { type Format, type ImportedItem, type Skipped, whyPutAway } from "./format.js";
import { createItemBuilder, type ItemBuilder, sortBuilt } from "./item-builder.js";
import { type Json, objectsOf, textOf } from "./json.js";
import { addOldPassword, mappingOf, whereOf } from "./members.js";

export const enpass: Format = {
  name: "Enpass JSON",
  recognises: ({ json: { items, encrypted } = {} }) =>
    encrypted === undefined &&
    objectsOf(items).some((item) => "template_type" in item || ("category" in item && "fields" in item)),
  read({ json: { items, folders } = {} }) {
    const names = new Map(objectsOf(folders).map(({ uuid, title }) => [uuid, textOf(title)]));
    return sortBuilt(objectsOf(items).flatMap((item, index) => itemOf(item, { names, index })));
  },
};

/** The kinds by the categories. Every other one is a login if it has a password. */
const kinds: ReadonlyMap<string, string> = new Map([
  ["login", "login"],
  ["password", "login"],
  ["creditcard", "card"],
  ["identity", "identity"],
]);

/** The fields by their types. They are used in the kinds that define them. */
const fieldsByType = mappingOf(
  "login",
  "username password url:website totp:one_time_code email phone ccName:cardholder ccNumber:number ccCvc:security_code ccPin:pin ccExpiry:expires",
).fields;

/** Types that are called as here. */
const types: readonly FieldType[] = ["url", "totp", "email", "phone"];

function itemOf(
  { title: titleIn, category, favorite, archived, trashed, note, folders, fields, attachments }: Json,
  { names, index }: { readonly names: ReadonlyMap<unknown, string>; readonly index: number },
): readonly (ImportedItem | Skipped)[] {
  const title = textOf(titleIn);
  const where = whereOf(title, index);
  if (Number(trashed) > 0) return [{ where, why: whyPutAway.deleted }];
  if (Number(archived) > 0) return [{ where, why: whyPutAway.archived }];
  const listed = objectsOf(fields).filter(({ deleted }) => !(Number(deleted) > 0));
  const isLogin = listed.some(({ type, value }) => type === "password" && textOf(value) !== "");
  const kind = kinds.get(textOf(category)) ?? (isLogin ? "login" : "secure_note");
  const builder = createItemBuilder(kind);
  builder.title = title;
  builder.favourite = Number(favorite) > 0;
  for (const id of Array.isArray(folders) ? folders : []) builder.tag(names.get(id) ?? "");
  const used = new Set<string>();
  let section = "";
  for (const field of listed) {
    const { type, label } = field;
    if (type === "section") section = textOf(label);
    else addField(builder, field, { kind, section, used });
  }
  builder.add("notes", textOf(note));
  const attached = objectsOf(attachments).flatMap(({ name }) =>
    attachFile(builder, undefined, { where, fileName: textOf(name) }),
  );
  return [builder.build(where), ...attached];
}

interface FieldPlace {
  readonly kind: string;
  readonly section: string;
  /** The fields of the kind that have a value. */
  readonly used: Set<string>;
}

function addField(
  builder: ItemBuilder,
  { label, type, value, sensitive, history }: Json,
  { kind, section, used }: FieldPlace,
): void {
  const [text, typeName] = [textOf(value), textOf(type)];
  const known = fieldsByType.get(typeName) ?? "";
  const month = known === "expires" ? readMonth(text) : text;
  const isDefined = fieldsOfKind(kind).some(({ name }) => name === known);
  const name = [section, textOf(label) || typeName].filter((part) => part !== "").join(": ");
  if (isDefined && month !== undefined && (known === "website" || !used.has(known))) {
    builder.add(known, month);
    if (text !== "") used.add(known);
  } else {
    const isSecret =
      Number(sensitive) > 0 || typeName === "password" || typeName === "pin" || typeName.startsWith("cc");
    builder.addOther(name, isSecret ? "secret" : (types.find((each) => each === typeName) ?? "text"), text);
  }
  if (typeName !== "password") return;
  for (const { value: old, updated_at: time } of objectsOf(history)) {
    const day = new Date(Number(time) * 1000);
    if (textOf(old) === text) continue;
    addOldPassword(builder, textOf(old), Number.isNaN(day.getTime()) ? "" : day.toISOString().slice(0, 10));
  }
}
