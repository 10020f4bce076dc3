import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { writeReferencePages } from "@platform-rpc/api-reference";
import { type Page, sectionPages, wholePage } from "./page.ts";
import { type Group, type Section, type Source, sections } from "./site-map.ts";

export interface SiteSection extends Omit<Section, "groups"> {
  readonly groups: readonly { readonly title?: string; readonly pages: readonly Page[] }[];
}

/** The pages of the site, by section, and the pages of exports, to which only other pages lead. */
interface Site {
  readonly site: readonly SiteSection[];
  readonly exports: readonly Page[];
}

/** Reads the pages of the site from the files of the workspace, and from the declarations of the built packages. */
export async function readSite(root: string): Promise<Site> {
  const sources = sections.flatMap(({ groups }) => groups.flatMap((group) => group.sources));
  const named = new Set(sources.flatMap(({ files }) => (files.includes("*") ? [] : [files])));
  const { entries, exports } = await readReferencePages();
  const added: Readonly<Record<string, SiteSection["groups"]>> = {
    API: [{ title: "Packages", pages: entries }],
    Changelog: [{ pages: readChangelogPages(root) }],
  };
  const site = sections.map((section) => {
    const { groups, ...rest } = readSection(section, root, named);
    return { ...rest, groups: [...groups, ...(added[section.title] ?? [])] };
  });
  return { site, exports };
}

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

/** The pages of the public API: those of entry points, which the sidebar shows, and those of exports. */
interface ReferencePages {
  readonly entries: readonly Page[];
  readonly exports: readonly Page[];
}

async function readReferencePages(): Promise<ReferencePages> {
  const folder = mkdtempSync(join(tmpdir(), "site-"));
  try {
    await writeReferencePages(folder);
    const paths = globSync("**/*.md", { cwd: folder }).filter((path) => path !== "index.md");
    const pages = paths.sort().map((path) => {
      const url = `api/${path.replace(/(?:\/index)?\.md$/, "")}`;
      return wholePage(url, `reference/${path}`, readFileSync(join(folder, path), "utf8"));
    });
    const { entries = [], exports = [] } = Object.groupBy(pages, ({ source }) =>
      source.endsWith("/index.md") ? "entries" : "exports",
    );
    return { entries, exports };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readChangelogPages(root: string): readonly Page[] {
  const released = globSync("packages/*/CHANGELOG.md", { cwd: root }).map((path) =>
    wholePage(`changelog/${basename(dirname(path))}`, path, readFileSync(join(root, path), "utf8")),
  );
  const pending = globSync(".changeset/first-release-*.md", { cwd: root }).map((path) => {
    const name = basename(path, ".md").replace("first-release-", "");
    const text = readFileSync(join(root, path), "utf8").replace(/^---\n.*?\n---\n/s, "");
    return wholePage(`changelog/${name}`, path, `# @platform-rpc/${name}\n\nNot yet released.\n${text}`);
  });
  const pages = [...released, ...pending].sort((one, other) => (one.url < other.url ? -1 : 1));
  const list = pages.map(({ title, source }) => `- [${title}](${source})`).join("\n");
  const index = `# Changelog\n\nWhat callers can notice, by package.\n\n${list}\n`;
  return [wholePage("changelog", "CHANGELOG.md", index), ...pages];
}
