import { type ContentField, contentProblem, type FieldType, type ItemContent } from "@platform-rpc/items/item-content";
import { fieldsOfKind, websiteIn } from "@platform-rpc/items/kind-fields";
import { nameOfKind } from "@platform-rpc/items/kinds";
import { cut, fitContent } from "./fit-content.js";
import type { ImportedItem, Skipped } from "./format.js";
import { typeOfValue } from "./type-of-value.js";

/** An item, and what does not fit into it. `sortBuilt` lists it. */
interface BuiltItem extends ImportedItem {
  readonly rest?: readonly (ImportedItem | Skipped)[];
}

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
  /**
   * Returns the item, or why it cannot be stored. What is too large for an item becomes further items, which are listed.
   *
   * @param where where in the file it is, if it has no title
   */
  build(where: string): BuiltItem | Skipped;
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
      if (value !== "") fields.push({ name: label.trim() || "Field", type: typeOfValue(type, value), value });
    },
    addFile: (fileName, value) => void fields.push({ name: "file", type: "file", value, fileName }),
    build(where) {
      const username = fields.find(({ name }) => name === "username")?.value;
      // Some programs store no titles.
      const title = this.title.trim() || websiteIn(fields) || username || nameOfKind(kind);
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
      if (contentProblem(content) === undefined) return { kind, content };
      const { contents, changes } = fitContent(content);
      const [first = content, ...others] = contents;
      const name = this.title.trim() ? quoted(title) : where;
      const why = contents.map(contentProblem).find((problem) => problem !== undefined);
      if (why !== undefined) return { where: name, why };
      const rest = others.map((each) => ({ kind: "secure_note", content: each }));
      return { kind, content: first, rest: [...rest, ...changes.map((change) => partly(name, change))] };
    },
  };
}

/** Returns a title in quotation marks, with at most 80 characters. */
export function quoted(title: string): string {
  return `“${cut(title, 80)}”`;
}

export function partly(where: string, why: string): Skipped {
  return { where, why, isPart: true };
}

export function sortBuilt(built: readonly (BuiltItem | Skipped)[]) {
  const items: ImportedItem[] = [];
  const skipped: Skipped[] = [];
  for (const each of built) {
    if ("why" in each) skipped.push(each);
    else {
      const { rest = [], ...item } = each;
      const others = sortBuilt(rest);
      items.push(item, ...others.items);
      skipped.push(...others.skipped);
    }
  }
  return { items, skipped };
}
