import type { ContentField, ItemContent } from "@platform-rpc/items/item-content";
import { isSameField, partsOf } from "../detail/fields.js";

interface Versions {
  /** What both sides began with. Undefined if it is not known: then every difference is a conflict. */
  readonly base: ItemContent | undefined;
  readonly mine: ItemContent;
  readonly theirs: ItemContent;
}

/** A field, or the title, that both sides changed in different ways. Undefined: the side removed it. */
export interface FieldConflict {
  readonly key: string;
  readonly mine: ContentField | undefined;
  readonly theirs: ContentField | undefined;
}

/** Which side a person took for a conflict, by its key. */
export type Choices = ReadonlyMap<string, "mine" | "theirs">;

/**
 * Merges two contents that began as the same one: takes what only one side changed, and lists the fields that both changed. Of a conflict
 * without a choice, the content has `mine`.
 */
export function mergeContents({ base, mine, theirs }: Versions, choices: Choices = new Map()) {
  const [was, ours, their] = [base && partsOf(base), partsOf(mine), partsOf(theirs)];
  const conflicts: FieldConflict[] = [];
  const take = (key: string): ContentField | undefined => {
    const [one, other] = [ours.get(key), their.get(key)];
    if (isSameField(one, other) || (was && isSameField(other, was.get(key)))) return one;
    if (was && isSameField(one, was.get(key))) return other;
    conflicts.push({ key, mine: one, theirs: other });
    return choices.get(key) === "theirs" ? other : one;
  };
  const taken = [...new Set([...ours.keys(), ...their.keys()])].map((key) => [key, take(key)] as const);
  const title = taken.find(([key]) => key === "title")?.[1]?.value ?? "";
  const fields = taken.flatMap(([key, field]) => (key === "title" || field === undefined ? [] : [field]));
  const tags = mergeTags(base?.tags ?? [], mine.tags ?? [], theirs.tags ?? []);
  const { favourite } = mine.favourite === base?.favourite ? theirs : mine;
  // A person cannot change what another program added.
  const { others } = base === undefined ? mine : theirs;
  const content: ItemContent = { title, favourite, tags, fields, others };
  return { content, conflicts };
}

/** Adds what either side added, and removes what either side removed. */
function mergeTags(base: readonly string[], mine: readonly string[], theirs: readonly string[]): readonly string[] {
  const isKept = (tag: string) => !base.includes(tag) || (mine.includes(tag) && theirs.includes(tag));
  return [...new Set([...mine, ...theirs])].filter(isKept);
}
