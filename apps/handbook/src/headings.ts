import { proseLines } from "./prose.ts";

/** A heading of a Markdown text, with the anchor that GitHub gives it. */
export interface Heading {
  readonly level: number;
  /** Without Markdown. */
  readonly text: string;
  readonly anchor: string;
  /** The index of its line. */
  readonly line: number;
}

/** Returns the headings of a Markdown text, in order. */
export function headingsOf(text: string): readonly Heading[] {
  const used = new Map<string, number>();
  return proseLines(text).flatMap(({ line, index }) => {
    const [, marks, title] = /^(#{1,6}) +(.+?) *#*$/.exec(line) ?? [];
    if (marks === undefined || title === undefined) return [];
    const plain = plainText(title);
    const slug = slugOf(plain);
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return [{ level: marks.length, text: plain, anchor: count === 0 ? slug : `${slug}-${count}`, line: index }];
  });
}

/** Returns the anchor of a heading as GitHub forms it, so that one link works on GitHub and on the site. */
export function slugOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** Returns a Markdown text of one line without its marks. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/<[^>]+>/g, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*]/g, "")
    .replace(/\\([\\`*_{}[\]<>()#+\-.!|])/g, "$1");
}
