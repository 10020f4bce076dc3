import { printable } from "@platform-rpc/client";
import type { ContentField, ItemContent } from "@platform-rpc/items/item-content";
import { ProgramError } from "@platform-rpc/signed-in";
import type { Item } from "@platform-rpc/types";
import { suggestion } from "../vaults/find-vault.js";

type Fields = readonly ContentField[];

/** Returns how a field of an item is specified: by its name, with its place if several fields have it, such as `username[2]`. */
export function specifierOf(fields: Fields, field: ContentField): string {
  const { name } = field;
  if (name !== "" && matching(fields, name, exactly).length === 1) return name;
  return `${name}[${fields.filter((one) => one.name === name).indexOf(field) + 1}]`;
}

/** Returns the field with a name, a label, or a name and a place. @throws ProgramError that says how to specify each, if several match. */
export function findField(fields: Fields, wanted: string): ContentField | undefined {
  const exact = matching(fields, wanted, exactly);
  const [only, ...others] = exact.length > 0 ? exact : matching(fields, wanted, foldedName);
  if (only === undefined || others.length === 0) return only;
  const specifiers = [only, ...others].map((field) => specifierOf(fields, field));
  throw new ProgramError(
    printable(`The item has ${specifiers.length} fields "${wanted}". Specify one of them: ${specifiers.join(", ")}.`),
    "usage",
  );
}

/** Returns the field that a person means, as `findField` does. @throws ProgramError if there is none, or several match. */
export function getField({ item, content }: { item: Item; content: ItemContent }, wanted: string): ContentField {
  const { fields } = content;
  const found = findField(fields, wanted);
  if (found !== undefined) return found;
  const title = content.title === "" ? item.itemId : `"${content.title}"`;
  const specifiers = fields.map((field) => specifierOf(fields, field));
  const has = specifiers.length === 0 ? "It has no fields." : `It has: ${specifiers.join(", ")}.`;
  throw new ProgramError(printable(`${title} has no field "${wanted}". ${has}${suggestion(wanted, specifiers)}`));
}

/** Returns the name of a field that is added: `wanted`, or its next place if others have it. @throws ProgramError for another place. */
export function newFieldName(fields: Fields, wanted: string): string {
  const placed = splitPlace(wanted);
  if (placed === undefined) return wanted;
  const [first, ...others] = fields.filter(({ name }) => foldedName(name) === foldedName(placed.name));
  if (first !== undefined && placed.place === others.length + 2) return first.name;
  const next = first === undefined ? placed.name : nextSpecifier(fields, first.name);
  throw new ProgramError(`There is no field "${wanted}". To add a field with this name, give it as ${next}=…`, "usage");
}

export function nextSpecifier(fields: Fields, wanted: string): string {
  return `${wanted}[${fields.filter(({ name }) => name === wanted).length + 1}]`;
}

/** Returns the fields that have the name, and the one that has the place. */
function matching(fields: Fields, wanted: string, fold: (name: string) => string): Fields {
  const named = (name: string) => fields.filter((field) => fold(field.name) === fold(name));
  const { name, place = 0 } = splitPlace(wanted) ?? {};
  const placed = name === undefined ? undefined : named(name)[place - 1];
  return [...new Set([...named(wanted), ...(placed ? [placed] : [])])];
}

function splitPlace(wanted: string): { readonly name: string; readonly place: number } | undefined {
  const [, name, place] = /^(.*)\[([1-9]\d{0,2})\]$/s.exec(wanted) ?? [];
  return name === undefined ? undefined : { name, place: Number(place) };
}

const exactly = (name: string) => name;

/** "One-time code" and "one_time_code" are the same name. */
function foldedName(name: string): string {
  return name
    .normalize()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
}
