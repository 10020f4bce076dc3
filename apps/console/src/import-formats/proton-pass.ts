import { readMonth } from "@platform-rpc/items/month";
import { attachFile } from "./archive.js";
import { type Format, type ImportedItem, passkeys, type Skipped, whyPutAway } from "./format.js";
import { createItemBuilder, type ItemBuilder, sortBuilt } from "./item-builder.js";
import { anyTextOf, isObject, type Json, objectOf, objectsOf, textOf } from "./json.js";
import { addMembers, addressOf, type KindMapping, mappingOf, whereOf } from "./members.js";

/** The JSON of Proton Pass, and the zip file that contains it. */
export const protonPass: Format = {
  name: "Proton Pass",
  recognises({ json: { vaults } = {} }) {
    const all = vaultsIn(vaults).flatMap(({ items }) => objectsOf(items));
    return typeof vaults === "object" && (all.length === 0 || all.some(({ data }) => isObject(data)));
  },
  read({ json: { vaults } = {} }) {
    const built = vaultsIn(vaults).flatMap(({ name, items }) =>
      objectsOf(items).flatMap((item, index) => itemOf(item, { vault: textOf(name), index })),
    );
    return sortBuilt(built);
  },
};

function vaultsIn(vaults: unknown): readonly Json[] {
  return objectsOf(isObject(vaults) ? Object.values(vaults) : vaults);
}

const note = mappingOf("secure_note", "");

const types: ReadonlyMap<unknown, KindMapping> = new Map([
  ["login", mappingOf("login", "itemUsername:username password totpUri:one_time_code")],
  ["alias", mappingOf("login", "")],
  ["creditCard", mappingOf("card", "cardholderName:cardholder number verificationNumber:security_code pin")],
  ["identity", mappingOf("identity", "firstName:first_name lastName:last_name email phoneNumber:phone")],
  ["sshKey", mappingOf("ssh_key", "privateKey:private_key publicKey:public_key fingerprint")],
]);

const addressLines = [
  ["streetAddress"],
  ["floor"],
  ["zipOrPostalCode", "city"],
  ["county"],
  ["stateOrProvince"],
  ["countryOrRegion"],
];

/** Members that are read in another way. */
const handled = new Set([
  ..."itemEmail urls passkeys expirationDate cardType birthdate sections".split(" "),
  ..."extraPersonalDetails extraAddressDetails extraContactDetails extraWorkDetails extraSections".split(" "),
  ...addressLines.flat(),
]);

function itemOf(
  item: Json,
  { vault, index }: { readonly vault: string; readonly index: number },
): readonly (ImportedItem | Skipped)[] {
  const { data, state, pinned, aliasEmail, files } = item;
  const { metadata, type, content, extraFields } = objectOf(data);
  const { name, note: notes } = objectOf(metadata);
  const where = whereOf(textOf(name), index);
  if (state === 2) return [{ where, why: whyPutAway.deleted }];
  const mapping = types.get(type) ?? note;
  const members = objectOf(content);
  const { itemUsername, itemEmail, urls, birthdate, expirationDate, passkeys: list } = members;
  const builder = createItemBuilder(mapping.kind);
  builder.title = textOf(name);
  builder.favourite = pinned === true;
  builder.tag(vault);
  addMembers(builder, members, mapping, handled);
  const emails = [textOf(itemEmail), textOf(aliasEmail)].filter((email) => email !== "");
  if (mapping.kind === "login" && textOf(itemUsername) === "") builder.add("username", emails.shift() ?? "");
  for (const email of emails) builder.addOther("email", "email", email);
  for (const url of Array.isArray(urls) ? urls : []) builder.add("website", textOf(url));
  builder.add("address", addressOf(members, addressLines));
  if (/^\d{4}-\d{2}-\d{2}$/.test(textOf(birthdate))) builder.add("birthday", textOf(birthdate));
  else builder.addOther("Birthday", "text", textOf(birthdate));
  const expires = readMonth(textOf(expirationDate).slice(0, 7));
  if (expires !== undefined) builder.add("expires", expires);
  else builder.addOther("Expires", "text", textOf(expirationDate));
  builder.add("notes", textOf(notes));
  for (const field of objectsOf(extraFields)) addField(builder, field, "");
  // Lists of fields, and of sections with such lists.
  for (const list of Object.values(members)) {
    for (const each of objectsOf(list)) {
      const { sectionName, sectionFields, fieldName } = each;
      for (const field of objectsOf(sectionFields)) addField(builder, field, textOf(sectionName));
      if (fieldName !== undefined) addField(builder, each, "");
    }
  }
  const attached = objectsOf(files).flatMap(({ name: fileName }) =>
    attachFile(builder, undefined, { where, fileName: textOf(fileName) }),
  );
  return [builder.build(where), ...attached, ...passkeys(where, list, "Proton Pass")];
}

function addField(builder: ItemBuilder, { fieldName, type, data }: Json, section: string): void {
  const { content, totpUri, timestamp } = objectOf(data);
  const label = [section, textOf(fieldName)].filter((part) => part !== "").join(": ");
  const fieldType = type === "totp" ? "totp" : type === "text" || type === "timestamp" ? "text" : "secret";
  builder.addOther(label, fieldType, anyTextOf(totpUri ?? timestamp ?? content ?? data));
}
