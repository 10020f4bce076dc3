import { type ContentField, contentProblem, type ItemContent, limits } from "@platform-rpc/items/item-content";
import { websiteIn } from "@platform-rpc/items/kind-fields";
import type { ImportedItem } from "../import-formats/format.js";
import type { ItemRow } from "../items/item-rows.js";
import { writtenIn } from "../opening/open-content.js";

export interface Change {
  readonly row: ItemRow;
  readonly added: readonly ContentField[];
  /** The item with everything that is added. */
  readonly content: ItemContent;
}

export function compareItems(items: readonly ImportedItem[], rows: readonly ItemRow[]) {
  const stored = new Map<string, Change[]>();
  for (const row of rows) {
    if (row.item.deleted || row.content?.fields === undefined) continue;
    const content = writtenIn(row.content);
    const key = keyOf(row.item.kind, content);
    stored.set(key, [...(stored.get(key) ?? []), { row, content, added: [] }]);
  }
  /** Those that the vault does not contain. */
  const fresh: ImportedItem[] = [];
  /** Those of which the vault contains everything, with the titles of the stored ones. */
  const known: { item: ImportedItem; as: string }[] = [];
  for (const item of items) {
    const same = stored.get(keyOf(item.kind, item.content)) ?? [];
    const at = same.findIndex(({ content }) => isSame(item, content));
    const found = same[at];
    const changed = found && withMissing(found, item.content);
    if (changed === undefined) fresh.push(item);
    else if (changed === found) known.push({ item, as: found.row.title });
    else same[at] = changed;
  }
  const changes = [...stored.values()].flat().filter(({ added }) => added.length > 0);
  return { fresh, known, changes };
}

/** Identifies what is added to an item, by its name: the choices of a person outlive another comparison. */
export function additionKey({ row }: Change, { name }: ContentField): string {
  return `${row.key} ${name}`;
}

/** Returns the content of a changed item without what the person leaves out, by its keys. */
export function contentOf(change: Change, leftOut: ReadonlySet<string>): ItemContent {
  const { content, added } = change;
  const isLeftOut = (field: ContentField) => added.includes(field) && leftOut.has(additionKey(change, field));
  return { ...content, fields: content.fields.filter((field) => !isLeftOut(field)) };
}

const valueIn = ({ fields }: ItemContent, name: string) => fields.find((field) => field.name === name)?.value ?? "";

/** Logins with the same username and password are compared whatever their titles: some programs write no title. */
function keyOf(kind: string, content: ItemContent): string {
  const [username, password] = [valueIn(content, "username"), valueIn(content, "password")];
  const isLogin = kind === "login" && (username !== "" || password !== "");
  return JSON.stringify(isLogin ? [kind, username, password] : [kind, content.title]);
}

/** Returns whether a file and a vault have the same item, of which one may contain more. */
function isSame({ kind, content }: ImportedItem, stored: ItemContent): boolean {
  const [hosts, storedHosts] = [hostsOf(content), hostsOf(stored)];
  const isTitle = (host: string) => host === content.title || host === stored.title;
  if (content.title !== stored.title && ![...hosts, ...storedHosts].some(isTitle)) return false;
  if (kind === "login" && valueIn(content, "password") !== "") {
    return hosts.length === 0 || storedHosts.length === 0 || hosts.some((host) => storedHosts.includes(host));
  }
  return missingIn(content, stored).length === 0 || missingIn(stored, content).length === 0;
}

function hostsOf({ fields }: ItemContent): readonly string[] {
  return fields.flatMap((field) => websiteIn([field]) ?? []);
}

function missingIn(stored: ItemContent, { fields }: ItemContent): readonly ContentField[] {
  return fields.filter(
    ({ name, value }) =>
      value !== "" &&
      !stored.fields.some((field) => field.value === value && [name, importedName(name)].includes(field.name)),
  );
}

/** What a field is called if the stored item has another value under its name. */
function importedName(name: string): string {
  return `${[...name].slice(0, limits.name - 11).join("")} (imported)`;
}

/** Adds what a stored item lacks. Returns the same change if that is nothing, and undefined if the item cannot be changed. */
function withMissing(change: Change, item: ItemContent): Change | undefined {
  const { row, content, added } = change;
  const names = new Set(content.fields.filter(({ value }) => value !== "").map(({ name }) => name));
  const missing = missingIn(content, item).map((field) =>
    field.type !== "url" && names.has(field.name) ? { ...field, name: importedName(field.name) } : field,
  );
  if (missing.length === 0) return change;
  // A change signs all of the item.
  if (row.content?.isUnverified || row.content?.finding !== undefined) return undefined;
  const tags = [...new Set([...(content.tags ?? []), ...(item.tags ?? [])])];
  const kept = content.fields.filter(
    ({ name, value }) => value !== "" || missing.every((field) => field.name !== name),
  );
  const changed = { ...content, tags, fields: [...kept, ...missing] };
  return contentProblem(changed) === undefined ? { row, content: changed, added: [...added, ...missing] } : undefined;
}
