export interface Page {
  /** Below the base of the site, such as "errors/ITEM_NOT_FOUND". */
  readonly url: string;
  readonly title: string;
  readonly label: string;
  /** Its first paragraph as plain text. Empty if it begins with something else. */
  readonly description: string;
  /** The file that contains the text, relative to the root of the workspace. */
  readonly source: string;
  /** Markdown. Its links are relative to the file. */
  readonly text: string;
  /** The anchors of the file that are on this page, and those of the page to which they belong now. */
  readonly anchors: ReadonlyMap<string, string>;
}

export function wholePage(url: string, source: string, text: string): Page {
  return page(url, source, text, headingsOf(text));
}

/** Returns a page for the introduction of a file, and one for each heading of the second level. */
export function sectionPages(url: string, source: string, text: string): readonly Page[] {
  const headings = headingsOf(text);
  const starts = headings.filter(({ level }) => level === 2);
  const part = (place: string, from: number, to = text.length) => {
    const own = headings.filter(({ at }) => at >= from && at < to);
    return page(place, source, mapProse(text.slice(from, to), promoteSections), own);
  };
  const sections = starts.map(({ anchor, at }, index) => part(`${url}/${anchor}`, at, starts[index + 1]?.at));
  return [part(url, 0, starts[0]?.at), ...sections];
}

function promoteSections(prose: string): string {
  return prose.replace(/^#(#+ )/gm, "$1");
}

function page(url: string, source: string, text: string, headings: readonly Heading[]): Page {
  const title = headings[0]?.text ?? source;
  const own = headingsOf(text);
  const anchors = new Map(headings.map(({ anchor }, index) => [anchor, index === 0 ? "" : (own[index]?.anchor ?? "")]));
  const label = /^[A-Z_]{6,}(?=:)/.exec(title)?.[0] ?? title;
  return { url, title, label, description: descriptionOf(text), source, text, anchors };
}

/** Matches a block of code. Its group is the fence. */
const fenced = "^ *(`{3,}|~{3,})[^]*?^ *\\1 *$";

interface Heading {
  readonly level: number;
  /** Without Markdown. */
  readonly text: string;
  readonly anchor: string;
  /** The offset of its line. */
  readonly at: number;
}

function headingsOf(text: string): readonly Heading[] {
  const used = new Map<string, number>();
  const found = text.matchAll(new RegExp(`${fenced}|^(#{1,6}) +(.+?) *#*$`, "gm"));
  return [...found].flatMap(({ 2: marks, 3: title, index }) => {
    if (marks === undefined || title === undefined) return [];
    const plain = plainText(title);
    const slug = slugOf(plain);
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return [{ level: marks.length, text: plain, anchor: count === 0 ? slug : `${slug}-${count}`, at: index }];
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

export function mapProse(text: string, replace: (part: string) => string): string {
  const parts = text.split(new RegExp(`(${fenced.replace("\\1", "\\2")}|\`+[^\`\\n]*\`+)`, "m"));
  // After each part of prose, there are the code and its fence.
  return parts.map((part = "", index) => (index % 3 === 0 ? replace(part) : index % 3 === 1 ? part : "")).join("");
}

/** Returns the first paragraph of a Markdown text without its marks, in at most 200 characters. */
function descriptionOf(text: string): string {
  const prose = text.replace(/<!--.*?-->/gs, "").replace(new RegExp(fenced, "gm"), "");
  const first = prose.split(/\n\s*\n/).find((paragraph) => /^[\p{L}`*[(]/u.test(paragraph.trim())) ?? "";
  const plain = plainText(first.replaceAll("\n", " ")).replace(/\s+/g, " ").trim();
  if (plain.length <= 200) return plain;
  const sentence = /^.{40,200}?[.:](?= )/.exec(plain)?.[0];
  return sentence ?? `${plain.slice(0, plain.lastIndexOf(" ", 197))} …`;
}

function plainText(markdown: string): string {
  return markdown
    .replace(/<[^>]+>/g, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*]/g, "")
    .replace(/\\([\\`*_{}[\]<>()#+\-.!|])/g, "$1");
}
