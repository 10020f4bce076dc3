import { nameOfKind, newKinds } from "@platform-rpc/items/kinds";
import { useMemo } from "react";
import type { ItemRow } from "../items/item-rows.js";
import type { Narrowing } from "./use-search.js";

/** So many of the tags that are used most. The others are searched. */
const mostTags = 8;

interface ChipsProps {
  readonly rows: readonly ItemRow[];
  readonly narrowing: Narrowing;
  readonly onNarrow: (changes: Partial<Narrowing>) => void;
}

/** Narrows a list to a kind or a tag. Shown if the list has several kinds, or tags. */
export function Chips({ rows, narrowing, onNarrow }: ChipsProps) {
  const { kind: chosenKind, tag: chosenTag } = narrowing;
  const { kinds, tags } = useMemo(() => choicesOf(rows, chosenKind, chosenTag), [rows, chosenKind, chosenTag]);
  if (kinds.length < 2 && tags.length === 0 && chosenKind === undefined) return undefined;
  const chip = (words: string, pressed: boolean, changes: Partial<Narrowing>) => (
    <button key={words} type="button" className="chip" aria-pressed={pressed} onClick={() => onNarrow(changes)}>
      <bdi>{words}</bdi>
    </button>
  );
  return (
    <fieldset className="chips" aria-label="Kinds and tags">
      {(kinds.length > 1 || chosenKind !== undefined) &&
        kinds.map((kind) => {
          const pressed = chosenKind === kind;
          return chip(nameOfKind(kind), pressed, { kind: pressed ? undefined : kind });
        })}
      {tags.map((tag) => {
        const pressed = chosenTag === tag;
        return chip(`#${tag}`, pressed, { tag: pressed ? undefined : tag });
      })}
    </fieldset>
  );
}

/** Returns the kinds of items, in the order in which they can be added, and the tags that most of them have. Always with what is chosen. */
function choicesOf(rows: readonly ItemRow[], chosenKind: string | undefined, chosenTag: string | undefined) {
  const kinds = new Set(rows.map(({ item }) => item.kind));
  if (chosenKind !== undefined) kinds.add(chosenKind);
  const used = tagsOf(rows);
  return {
    kinds: [...newKinds.filter((kind) => kinds.has(kind)), ...[...kinds].filter((kind) => !newKinds.includes(kind))],
    tags: chosenTag === undefined || used.includes(chosenTag) ? used : [chosenTag, ...used],
  };
}

export function tagsOf(rows: readonly ItemRow[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { content } of rows) for (const tag of content?.tags ?? []) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const tags = [...counts].sort(([one, count], [other, otherCount]) => otherCount - count || one.localeCompare(other));
  return tags.slice(0, mostTags).map(([tag]) => tag);
}
