import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { createFindTarget, type FindTarget, replaceLinks, type Target } from "./links.ts";
import { descriptionOf, type Page } from "./page.ts";
import { mapProse } from "./prose.ts";

/** The path under which a server serves the site. */
export const base = "/docs/";

/** The public repository, for links to files that are not on the site. */
const repository = "https://github.com/platform/platform";

/**
 * Writes the pages as VitePress reads them. Links to other pages get their URLs, and images are copied. VitePress takes the page before
 * another one from the sidebar, unless `before` contains it.
 */
export function writeSources(
  pages: readonly Page[],
  before: ReadonlyMap<Page, Page>,
  root: string,
  folder: string,
): void {
  const findTarget = createFindTarget(pages, root);
  const problems = new Set<string>();
  for (const page of pages) {
    const text = replaceLinks(page.text, (link) => {
      const target = findTarget(page, link);
      if (target.kind === "broken") problems.add(target.problem);
      if (target.kind !== "image") return urlOf(target, link, (one) => `/${one.url === "index" ? "" : one.url}`);
      const copy = join(folder, target.path);
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(join(root, target.path), copy);
      const path = posix.relative(posix.dirname(page.url), target.path);
      return path.startsWith(".") ? path : `./${path}`;
    });
    const html = withSizes(mapProse(text, escapeTemplates), (src) => join(folder, dirname(page.url), src));
    const previous = before.get(page);
    const prev = previous && { text: previous.label, link: `/${previous.url}` };
    const frontMatter = { title: page.title, description: descriptionOf(page), prev };
    writePage(folder, page, `---\n${JSON.stringify(frontMatter)}\n---\n\n${html}`);
  }
  if (problems.size > 0) throw new Error(`These links have no target:\n${[...problems].join("\n")}`);
}

/**
 * Writes a copy of each page as plain Markdown, with links to the other copies. For programs, it also writes a list of the pages (llms.txt)
 * and all pages in one file (llms-full.txt), both in the order of the site map.
 */
export function writeCopies(
  pages: readonly Page[],
  listed: ReadonlyMap<string, readonly Page[]>,
  root: string,
  folder: string,
): void {
  const findTarget = createFindTarget(pages, root);
  const copies = pages.map((page) => ({ page, text: copyOf(page, findTarget) }));
  for (const { page, text } of copies) writePage(folder, page, text);
  writeFileSync(join(folder, "llms-full.txt"), copies.map(({ page, text }) => withUrl(page, text)).join("\n"));
  const sections = [...listed].map(([title, some]) => {
    const lines = some.map((page) => `- [${page.title}](${copyUrl(page)})${noteOf(page)}`);
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  const [start] = pages;
  const head =
    start === undefined
      ? ""
      : `# ${start.title}\n\n> ${descriptionOf(start)}\n\n[All pages in one file](${base}llms-full.txt)\n`;
  writeFileSync(join(folder, "llms.txt"), [head, ...sections].join("\n"));
}

/** Escapes what VitePress would read as a component or an expression. HTML elements that the pages use stay. */
function escapeTemplates(text: string): string {
  return text.replace(/<(?!\/?(?:a|br|img|picture|source)\b|!--|https?:)/g, "&lt;").replaceAll("{{", "&#123;&#123;");
}

/**
 * Gives images the height that belongs to their width, so that the text does not move when they arrive. The browser loads the first one
 * early, and the others when the reader comes near them.
 */
function withSizes(text: string, pathOf: (src: string) => string): string {
  let loading = 'fetchpriority="high"';
  return text.replace(/<img src="([^"]+\.png)" width="(\d+)"/g, (image, src: string, width: string) => {
    const header = readFileSync(pathOf(src));
    // The header of a PNG begins with its width and its height.
    const height = Math.round((Number(width) * header.readUInt32BE(20)) / header.readUInt32BE(16));
    const sized = `${image} height="${height}" ${loading}`;
    loading = 'loading="lazy"';
    return sized;
  });
}

function copyOf(page: Page, findTarget: FindTarget): string {
  // A reader of plain text gets the descriptions of images.
  const text = page.text
    .replace(/<img [^>]*alt="([^"]*)"[^>]*>/g, "$1")
    .replace(/<\/?(?:picture|source)\b[^>]*>\n?/g, "")
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, "$1");
  return replaceLinks(text, (link) => urlOf(findTarget(page, link), link, copyUrl));
}

function urlOf(target: Target, link: string, pageUrl: (page: Page) => string): string {
  if (target.kind === "page") return pageUrl(target.page) + (target.anchor === "" ? "" : `#${target.anchor}`);
  if (target.kind === "file") return `${repository}/${target.folder ? "tree" : "blob"}/main/${target.path}`;
  return link;
}

/** Returns a copy with its URL before it, as front matter: in one file with all pages, it is where a page begins. */
function withUrl(page: Page, text: string): string {
  return `---\nurl: ${copyUrl(page)}\n---\n\n${text.trim()}\n`;
}

function copyUrl({ url }: Page): string {
  return `${base}${url}.md`;
}

function noteOf(page: Page): string {
  const description = descriptionOf(page);
  return description === "" ? "" : `: ${description}`;
}

function writePage(folder: string, { url }: Page, text: string): void {
  const path = join(folder, `${url}.md`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
