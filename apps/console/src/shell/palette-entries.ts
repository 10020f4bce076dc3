import type { IconName } from "../elements/icon.js";
import { fold, wordsOf } from "../items/fold.js";
import { type ItemRow, lineOf } from "../items/item-rows.js";
import { iconOfKind } from "../items/kind-icon.js";

export interface PaletteEntry {
  readonly id: string;
  readonly icon: IconName;
  readonly words: string;
  /** Tells entries with equal words apart. */
  readonly hint: string;
  readonly run: () => void;
}

const mostShown = 20;

/** Returns the entries whose words contain each searched word, those that begin with the text first. */
export function findEntries(entries: readonly PaletteEntry[], search: string): readonly PaletteEntry[] {
  const searched = wordsOf(search);
  const found = entries.filter(({ words, hint }) => {
    const all = fold(`${words} ${hint}`);
    return searched.every((word) => all.includes(word));
  });
  const begins = (entry: PaletteEntry) => fold(entry.words).startsWith(fold(search.trim()));
  return [...found.filter(begins), ...found.filter((entry) => !begins(entry))].slice(0, mostShown);
}

/** Returns the entries that open items. Deleted ones and those that cannot be opened have no title to search for. */
export function itemEntries(
  rows: readonly ItemRow[],
  nameOf: (vaultId: string) => string,
  open: (row: ItemRow) => void,
): readonly PaletteEntry[] {
  return rows
    .filter(({ item, content }) => !item.deleted && content?.title !== undefined)
    .map((row) => ({
      id: `item ${row.key}`,
      icon: iconOfKind(row.item.kind),
      words: row.title,
      hint: `${lineOf(row)} · ${nameOf(row.vaultId)}`,
      run: () => open(row),
    }));
}
