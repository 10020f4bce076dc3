import type { FieldType } from "@platform-rpc/items/item-content";
import { titleOf } from "@platform-rpc/items/kind-fields";
import { nameOfKind } from "@platform-rpc/items/kinds";
import { findingInShort } from "@platform-rpc/items/vault/memory";
import type { Item } from "@platform-rpc/types";
import type { Content } from "../opening/open-content.js";
import { fold, wordsOf } from "./fold.js";
import { stateOf } from "./item-state.js";

export interface ItemRow {
  readonly vaultId: string;
  /** The vault and the item: ids of items are unique in their vault only. */
  readonly key: string;
  readonly item: Item;
  /** Undefined until it is decrypted. */
  readonly content: Content | undefined;
  /** The title, or what is shown instead. */
  readonly title: string;
}

export interface Wanted {
  /** Words that the title, the kind, a user name, a website, a tag and the notes contain together, whatever their case and accents. */
  readonly search: string;
  readonly deleted: boolean;
  /** Undefined: all vaults. */
  readonly vaultId: string | undefined;
  readonly favourites?: boolean;
  /** Default: all kinds. */
  readonly kind?: string | undefined;
  /** Default: with any tags. */
  readonly tag?: string | undefined;
}

export function rowOf(vaultId: string, item: Item, content: Content | undefined): ItemRow {
  const title = content === undefined ? "Decrypting…" : nameOf(item, content);
  return { vaultId, key: `${vaultId}/${item.itemId}`, item, content, title };
}

function nameOf({ kind }: Item, content: Content): string {
  return content.closed === undefined ? titleOf(kind, content) : "Item that cannot be opened";
}

/** Returns a function that makes rows: the same one again for the same item and content, so that it is not rendered again. */
export function createRows(): typeof rowOf {
  const made = new WeakMap<Item, ItemRow>();
  return (vaultId, item, content) => {
    const last = made.get(item);
    if (last !== undefined && last.content === content) return last;
    const row = rowOf(vaultId, item, content);
    made.set(item, row);
    return row;
  };
}

/** Returns the line below the title: the user name, the end of a card's number, or the kind. */
export function lineOf({ item, content }: ItemRow): string {
  if (content?.finding !== undefined) return findingInShort[content.finding.what];
  if (content?.isUnverified) return "Not verified";
  const field = (...names: readonly string[]) =>
    content?.fields?.find(({ name }) => names.includes(name.toLowerCase()))?.value;
  const digits = item.kind === "card" ? field("number")?.replaceAll(/\D/g, "") : undefined;
  if (digits !== undefined && digits.length >= 12) {
    const expires = field("expires", "expiry");
    return `•••• ${digits.slice(-4)}${expires === undefined ? "" : ` · ${expires}`}`;
  }
  const who = item.kind === "login" ? field("username", "user", "email") : undefined;
  return who || nameOfKind(item.kind);
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

export function wantedRows(rows: readonly ItemRow[], wanted: Wanted): readonly ItemRow[] {
  const { search, deleted, vaultId, favourites = false, kind, tag } = wanted;
  const words = wordsOf(search);
  return rows.filter((row) => {
    const { item, content } = row;
    if (item.deleted !== deleted || (vaultId !== undefined && row.vaultId !== vaultId)) return false;
    if ((favourites && content?.favourite !== true) || (kind !== undefined && item.kind !== kind)) return false;
    if (tag !== undefined && content?.tags?.includes(tag) !== true) return false;
    // Nothing of it is left that the person could see or restore.
    if (stateOf(item, undefined).state === "shredded") return false;
    return words.every((word) => searchedIn(row).all.includes(word));
  });
}

/** The types of fields that are searched: no secrets. */
const searchedTypes: readonly FieldType[] = ["text", "url", "email", "note"];

interface Searched {
  readonly title: string;
  /** With the title. */
  readonly all: string;
}

/** Rows stay the same objects while the person types. */
const folded = new WeakMap<ItemRow, Searched>();

/** Returns what of an item is searched, folded. */
function searchedIn(row: ItemRow): Searched {
  const known = folded.get(row);
  if (known !== undefined) return known;
  const fields = row.content?.fields?.filter(({ type }) => searchedTypes.includes(type)) ?? [];
  const texts = [row.title, nameOfKind(row.item.kind), lineOf(row), ...fields.map(({ value }) => value)];
  const searched = { title: fold(row.title), all: fold([...texts, ...(row.content?.tags ?? [])].join("\n")) };
  folded.set(row, searched);
  return searched;
}

/** Sorts rows that were found by how well their titles match what was searched. Equal ones keep their order. */
export function bestFirst(rows: readonly ItemRow[], search: string): readonly ItemRow[] {
  const words = wordsOf(search);
  const [first] = words;
  if (first === undefined) return rows;
  const rankOf = (row: ItemRow) => {
    const { title } = searchedIn(row);
    if (title === words.join(" ")) return 0;
    const found = words.filter((word) => ` ${title}`.includes(` ${word}`)).length;
    if (found === words.length) return title.startsWith(first) ? 1 : 2;
    return words.every((word) => title.includes(word)) ? 3 : 4 - found / words.length;
  };
  const ranks = new Map(rows.map((row) => [row, rankOf(row)]));
  return rows.toSorted((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
}

/** How a list is sorted. Favourites come first. */
export type Sorting = "name" | "changed";

export function sortRows(rows: readonly ItemRow[], sorting: Sorting): readonly ItemRow[] {
  const changedAt = ({ item }: ItemRow) => Number(item.updatedAt?.seconds ?? 0n);
  const sorted = sorting === "name" ? rows : rows.toSorted((one, other) => changedAt(other) - changedAt(one));
  const isFavourite = ({ content }: ItemRow) => content?.favourite === true;
  if (!sorted.some(isFavourite)) return sorted;
  return [...sorted.filter(isFavourite), ...sorted.filter((row) => !isFavourite(row))];
}

/** Orders rows by title, those that are not decrypted yet last. */
export type RowOrder = (rows: readonly ItemRow[]) => readonly ItemRow[];

/** Creates an order for the rows of a list. It is fast if most rows are the same objects as the last time. */
export function createRowOrder(): RowOrder {
  let last: readonly ItemRow[] = [];
  return (rows) => {
    const open = new Set<ItemRow>();
    const pending: ItemRow[] = [];
    for (const row of rows) {
      if (row.content === undefined) pending.push(row);
      else open.add(row);
    }
    const ordered = last.filter((row) => open.delete(row));
    // Sorting is linear for a long ordered part that a short one follows.
    if (open.size > 0) last = [...ordered, ...[...open].sort(compareRows)].sort(compareRows);
    else last = ordered;
    return [...last, ...pending];
  };
}

function compareRows(one: ItemRow, other: ItemRow): number {
  return collator.compare(one.title, other.title) || collator.compare(one.key, other.key);
}
