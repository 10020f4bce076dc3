import { type ContentField, contentProblem, type FieldType, type ItemContent } from "@platform-rpc/items/item-content";
import { fieldsOfKind } from "@platform-rpc/items/kind-fields";
import { nameOfKind } from "@platform-rpc/items/kinds";
import type { ImportedItem, Skipped } from "./format.js";

/** Collects what a file contains about one item. Empty values are left out. */
export interface ItemBuilder {
  title: string;
  favourite: boolean;
  /** Adds a tag. Tags are unique. */
  tag(name: string): void;
  /** Adds a field that the kind defines. A second value makes a second field with the same name. */
  add(name: string, value: string): void;
  /** Adds a field for which the kind has no place. */
  addOther(label: string, type: FieldType, value: string): void;
  /** Adds a file, in base64url. */
  addFile(fileName: string, value: string): void;
  /** Returns the item, or why it cannot be stored. @param where where in the file it is, if it has no title */
  build(where: string): ImportedItem | Skipped;
}

export function createItemBuilder(kind: string): ItemBuilder {
  const defined = fieldsOfKind(kind);
  const fields: ContentField[] = [];
  const tags = new Set<string>();
  return {
    title: "",
    favourite: false,
    tag(name) {
      if (name.trim() !== "") tags.add(name.trim());
    },
    add(name, value) {
      const type = defined.find((field) => field.name === name)?.type ?? "secret";
      if (value !== "") fields.push({ name, type, value });
    },
    addOther(label, type, value) {
      if (value !== "") fields.push({ name: label.trim() || "Field", type, value });
    },
    addFile: (fileName, value) => void fields.push({ name: "file", type: "file", value, fileName }),
    build(where) {
      const title = this.title.trim() || titleFrom(fields) || nameOfKind(kind);
      const order = ({ name }: ContentField) => {
        const index = defined.findIndex((field) => field.name === name);
        return index < 0 ? defined.length : index;
      };
      const content: ItemContent = {
        title,
        ...(this.favourite && { favourite: true }),
        ...(tags.size > 0 && { tags: [...tags] }),
        fields: fields.toSorted((one, other) => order(one) - order(other)),
      };
      const why = contentProblem(content);
      return why === undefined ? { kind, content } : { where: this.title.trim() ? quoted(title) : where, why };
    },
  };
}

/** Returns a title in quotation marks, cut after 80 characters. */
export function quoted(title: string): string {
  const start = [...title].slice(0, 80).join("");
  return `“${start}${start.length < title.length ? "…" : ""}”`;
}

/** Some programs store no titles: the website is one. */
function titleFrom(fields: readonly ContentField[]): string | undefined {
  const firstOf = (name: string) => fields.find((field) => field.name === name)?.value;
  const website = firstOf("website");
  const host = website && (URL.parse(website) ?? URL.parse(`https://${website}`))?.hostname;
  return host || website || firstOf("username");
}

/** Sorts what was built into items and what is skipped. */
export function sortBuilt(built: readonly (ImportedItem | Skipped)[]) {
  const items: ImportedItem[] = [];
  const skipped: Skipped[] = [];
  for (const each of built) {
    if ("why" in each) skipped.push(each);
    else items.push(each);
  }
  return { items, skipped };
}

/** Returns a month as it is stored, and undefined if it is none. */
export function monthOf(year: string, month: string): string | undefined {
  const full = /^\d{2}$/.test(year) ? `20${year}` : year;
  const isMonth = /^\d{1,2}$/.test(month) && Number(month) >= 1 && Number(month) <= 12;
  return /^\d{4}$/.test(full) && isMonth ? `${full}-${month.padStart(2, "0")}` : undefined;
}
