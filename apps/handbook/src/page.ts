import { type Heading, headingsOf, plainText } from "./headings.ts";
import { proseLines } from "./prose.ts";

/** A page of the site. */
export interface Page {
  /** Below the base of the site, such as "errors/ITEM_NOT_FOUND". */
  readonly url: string;
  readonly title: string;
  /** The title in the sidebar. */
  readonly label: string;
  /** The file that contains the text, relative to the root of the workspace. */
  readonly source: string;
  /** Markdown. Its links are relative to the file. */
  readonly text: string;
  /** The anchors of the file that are on this page, and those of the page to which they belong now. */
  readonly anchors: ReadonlyMap<string, string>;
}

/** Returns the page of a file. */
export function wholePage(url: string, source: string, text: string): Page {
  const headings = headingsOf(text);
  const title = headings[0]?.text ?? source;
  return page(url, title, source, text, headings);
}

/** Returns a page for the introduction of a file, and one for each heading of the second level. */
export function sectionPages(url: string, source: string, text: string): readonly Page[] {
  const headings = headingsOf(text);
  const starts = headings.filter(({ level }) => level === 2);
  const lines = text.split("\n");
  const prose = new Set(proseLines(text).map(({ index }) => index));
  const part = (from: number, to: number) => headings.filter(({ line }) => line >= from && line < to);
  const end = starts[0]?.line ?? lines.length;
  const sections = starts.map(({ text: title, anchor, line }, index) => {
    const next = starts[index + 1]?.line ?? lines.length;
    const promoted = lines
      .slice(line, next)
      .map((each, offset) => (prose.has(line + offset) ? each.replace(/^#(#+ )/, "$1") : each));
    return page(`${url}/${anchor}`, title, source, promoted.join("\n"), part(line, next));
  });
  const first = page(url, headings[0]?.text ?? source, source, lines.slice(0, end).join("\n"), part(0, end));
  return [first, ...sections];
}

/** Returns the first paragraph of a page as plain text, in at most 200 characters. */
export function descriptionOf({ text }: Page): string {
  const lines = proseLines(text.replace(/<!--.*?-->/gs, "")).map(({ line }) => line);
  const paragraphs = lines.join("\n").split(/\n\s*\n/);
  const first = paragraphs.find((paragraph) => /^[\p{L}`*[(]/u.test(paragraph.trim())) ?? "";
  const plain = plainText(first.replaceAll("\n", " ")).replace(/\s+/g, " ").trim();
  if (plain.length <= 200) return plain;
  const sentence = /^.{40,200}?[.:](?= )/.exec(plain)?.[0];
  return sentence ?? `${plain.slice(0, plain.lastIndexOf(" ", 197))} …`;
}

function page(url: string, title: string, source: string, text: string, headings: readonly Heading[]): Page {
  const own = headingsOf(text);
  const anchors = new Map(headings.map(({ anchor }, index) => [anchor, index === 0 ? "" : (own[index]?.anchor ?? "")]));
  return { url, title, label: /^[A-Z_]{6,}(?=:)/.exec(title)?.[0] ?? title, source, text, anchors };
}
