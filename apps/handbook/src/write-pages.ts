import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { imageSize } from "image-size";
import { mapProse, type Page } from "./page.ts";
import { pagesOf, type SiteSection } from "./read-site.ts";

/** The path under which a server serves the site. */
export const base = "/docs/";

/** Writes the pages as VitePress reads them. It takes the page before another one from the sidebar, unless `before` contains it. */
export function writeSources(pages: readonly Page[], before: ReadonlyMap<string, Page>, folder: string): void {
  for (const page of pages) {
    const { url, title, description, text } = page;
    const previous = before.get(url);
    const prev = previous && { text: previous.label, link: `/${previous.url}` };
    const frontMatter = JSON.stringify({ title, description, prev });
    const html = withSizes(mapProse(text, escapeTemplates), (src) => join(folder, dirname(url), src));
    writePage(folder, page, `---\n${frontMatter}\n---\n\n${html}`);
  }
}

/**
 * Writes a copy of each page as plain Markdown, with links to the other copies. For programs, it also writes a list of the pages (llms.txt)
 * and all pages in one file (llms-full.txt), both in the order of the site map.
 */
export function writeCopies(pages: readonly Page[], site: readonly SiteSection[], folder: string): void {
  const copies = pages.map((page) => ({ page, text: copyOf(page) }));
  for (const { page, text } of copies) writePage(folder, page, text);
  // In one file with all pages, front matter is where a page begins.
  const parts = copies.map(({ page, text }) => `---\nurl: ${copyUrl(page)}\n---\n\n${text.trim()}\n`);
  writeFileSync(join(folder, "llms-full.txt"), parts.join("\n"));
  const start = pages
    .slice(0, 1)
    .map(
      ({ title, description }) => `# ${title}\n\n> ${description}\n\n[All pages in one file](${base}llms-full.txt)\n`,
    );
  const sections = site.map((section) => `## ${section.title}\n\n${pagesOf([section]).map(listItem).join("\n")}\n`);
  writeFileSync(join(folder, "llms.txt"), [...start, ...sections].join("\n"));
}

/** Escapes what VitePress would read as a component or an expression. HTML elements that the pages use stay. */
function escapeTemplates(text: string): string {
  return text.replace(/<(?!\/?(?:a|br|img|picture|source)\b|!--|https?:)/g, "&lt;").replaceAll("{{", "&#123;&#123;");
}

/** Gives images the height for their width, so that the text does not move when they arrive. Only the first one is loaded early. */
function withSizes(text: string, pathOf: (src: string) => string): string {
  let loading = 'fetchpriority="high"';
  return text.replace(/<img src="([^"]+)" width="(\d+)"/g, (image, src: string, width: string) => {
    const whole = imageSize(readFileSync(pathOf(src)));
    const height = Math.round((Number(width) * whole.height) / whole.width);
    const sized = `${image} height="${height}" ${loading}`;
    loading = 'loading="lazy"';
    return sized;
  });
}

/** Returns the text of a copy. A reader of plain text gets the descriptions of images. */
function copyOf({ text }: Page): string {
  const plain = text
    .replace(/<img [^>]*alt="([^"]*)"[^>]*>/g, "$1")
    .replace(/<\/?(?:picture|source)\b[^>]*>\n?/g, "")
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, "$1");
  return mapProse(plain, (part) => part.replace(/\]\(\//g, `](${base}`));
}

function copyUrl({ url }: Page): string {
  return `${base}${url}.md`;
}

function listItem(page: Page): string {
  return `- [${page.title}](${copyUrl(page)})${page.description === "" ? "" : `: ${page.description}`}`;
}

function writePage(folder: string, { url }: Page, text: string): void {
  const path = join(folder, `${url}.md`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The public repository, for links to files that are not on the site. */
const repository = "https://github.com/platform/platform";

/**
 * Returns the pages with the links of the site. A link to a file is the path of its page, such as `/guides/client/install.md#anchor`, or the
 * URL of the file in the repository. The path of an image leads from the folder in which the page will be to the image. A link without a
 * target stays as it is, so that VitePress reports it.
 */
export function withLinks(pages: readonly Page[], root: string, folder: string): readonly Page[] {
  const bySource = Map.groupBy(pages, ({ source }) => source);
  return pages.map((page) => ({ ...page, text: replaceLinks(page.text, (link) => urlOf(page, link)) }));

  function urlOf(from: Page, link: string): string {
    if (/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(link)) return link;
    const [path = "", anchor = ""] = link.split("#", 2).map((part) => decodeURIComponent(part));
    const source = path === "" ? from.source : posix.join(posix.dirname(from.source), path).replace(/\/$/, "");
    const parts = bySource.get(source) ?? bySource.get(`${source}/README.md`) ?? [];
    const page = parts.find(({ anchors }) => anchors.has(anchor)) ?? parts[0];
    if (page !== undefined) {
      const own = page.anchors.get(anchor) ?? anchor;
      return `/${page.url}.md${own === "" ? "" : `#${own}`}`;
    }
    const file = join(root, source);
    if (!existsSync(file)) return link;
    if (/\.(?:png|svg|jpe?g|webp)$/.test(source)) return relative(dirname(join(folder, from.url)), file);
    return `${repository}/${statSync(file).isDirectory() ? "tree" : "blob"}/main/${source}`;
  }
}

function replaceLinks(text: string, replace: (link: string) => string): string {
  return mapProse(text, (part) =>
    part
      .replace(/\]\(([^()\s]+)\)/g, (_, link: string) => `](${replace(link)})`)
      .replace(/\b(src|srcset)="([^"]+)"/g, (_, name: string, link: string) => `${name}="${replace(link)}"`),
  );
}
