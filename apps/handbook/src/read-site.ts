import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Page, sectionPages, wholePage } from "./page.ts";
import { type Group, type Section, type Source, sections } from "./site-map.ts";

/** A section with its pages. */
export interface SiteSection extends Omit<Section, "groups"> {
  readonly groups: readonly { readonly title?: string; readonly pages: readonly Page[] }[];
}

/** Reads the pages of the site from the files of the workspace. */
export function readSite(root: string): readonly SiteSection[] {
  const sources = sections.flatMap(({ groups }) => groups.flatMap((group) => group.sources));
  const named = new Set(sources.flatMap(({ files }) => (files.includes("*") ? [] : [files])));
  return sections.map((section) => readSection(section, root, named));
}

/** Returns all pages of a site. */
export function pagesOf(site: readonly SiteSection[]): readonly Page[] {
  return site.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages));
}

function readSection({ groups, ...section }: Section, root: string, named: ReadonlySet<string>): SiteSection {
  const read = groups.map(({ sources, ...group }: Group) => ({
    ...group,
    pages: sources.flatMap((source) => readSource(source, root, named)),
  }));
  return { ...section, groups: read.filter(({ pages }) => pages.length > 0) };
}

function readSource(source: Source, root: string, named: ReadonlySet<string>): readonly Page[] {
  const { files, url, split } = source;
  const paths = globSync(files, { cwd: root }).filter((path) => path === files || !named.has(path));
  const texts = paths.sort().map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  const [only] = texts;
  if (only !== undefined && split === "sections") return sectionPages(url, only.path, only.text);
  const pages = texts.map(({ path, text }) => wholePage(urlOf(path, source), path, text));
  return inOrderOfLinks(pages);
}

function urlOf(path: string, { files, url, index = url }: Source): string {
  if (!files.includes("*")) return url;
  const [before = "", after = ""] = files.split("*");
  const name = path.slice(before.length, path.length - after.length);
  return name === "README" ? index : `${url}/${name}`;
}

/** Sorts the pages of a folder: first its README, then the others as the README links to them, then the rest by name. */
function inOrderOfLinks(pages: readonly Page[]): readonly Page[] {
  const readme = pages.find(({ source }) => basename(source) === "README.md");
  if (readme === undefined || pages.some(({ source }) => dirname(source) !== dirname(readme.source))) return pages;
  const place = (one: Page) => {
    if (one === readme) return -1;
    const at = readme.text.indexOf(`](${basename(one.source)}`);
    return at === -1 ? readme.text.length : at;
  };
  return pages.toSorted((one, other) => place(one) - place(other));
}
