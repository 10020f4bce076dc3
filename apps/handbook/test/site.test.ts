import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ErrorReason } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { base } from "../src/write-pages.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = join(root, "apps/handbook/dist/docs");
/** The path of each file: that of a page has no `.html`. */
const paths = new Map(
  globSync("**/*.*", { cwd: folder }).map((file) => [base + file.replace(/(?:^index)?\.html$/, ""), file]),
);
const pages = [...paths]
  .filter(([, file]) => file.endsWith(".html"))
  .map(([path, file]) => ({ path, html: textOf(file) }));
const idsByPath = new Map(pages.map(({ path, html }) => [path, new Set(valuesOf(html, "id"))]));

it("every link on a page leads to a page, and to a heading that it has", () => {
  const broken = pages.flatMap(({ path, html }) =>
    valuesOf(html, "href").flatMap((href) => {
      const url = new URL(href.replaceAll("&amp;", "&"), `http://site${path}`);
      if (url.host !== "site") return [];
      const target = decodeURIComponent(url.pathname);
      const anchor = decodeURIComponent(url.hash.slice(1));
      const works = paths.has(target) && (anchor === "" || idsByPath.get(target)?.has(anchor));
      return works ? [] : `${path}: ${href}`;
    }),
  );
  expect(pages.length).toBeGreaterThan(600);
  expect(broken).toEqual([]);
});

describe("the URL in an error is a page", () => {
  const reasons = Object.values(ErrorReason).filter((reason) => typeof reason === "string" && reason !== "UNSPECIFIED");
  const others = globSync("docs/{client,member}-errors/[A-Z]*_*.md", { cwd: root });
  const named = others.map((path) => path.replace(/^.*\/|\.md$/g, ""));

  it.each([...reasons, ...named])("errors/%s", (reason) => {
    expect(pageAt(`${base}errors/${reason}`)).toContain(`${reason}`);
  });
});

it("a page loads nothing from elsewhere, and contains no script and no style", () => {
  for (const { path, html } of pages) {
    const loaded = [...html.matchAll(/<(?:script|img|source|link)[^>]* (?:src|srcset|href)="([^"]*)"/g)];
    expect(
      loaded.map(([, url = ""]) => url).filter((url) => !url.startsWith(base)),
      path,
    ).toEqual([]);
    expect(html, path).not.toMatch(/<script(?![^>]* src=)|<style|<[a-z][^<>]* style="/);
  }
});

it("a sidebar has at most 60 links, because a telephone needs time for each when a page opens", () => {
  const long = pages.filter(({ html }) => linksIn(html, /<aside class="VPSidebar".*?<\/aside>/s).length > 60);
  expect(long.map(({ path }) => path)).toEqual([]);
});

it("the sidebar of a guide shows the pages of its group, and the first page of the other groups", () => {
  const links = linksIn(pageAt(`${base}guides/server`), /<aside class="VPSidebar".*?<\/aside>/s);
  expect(links).toContain(`${base}guides/server/backups`);
  expect(links).toContain(`${base}guides/client`);
  expect(links).not.toContain(`${base}guides/client/install`);
});

it("the links to the next and the previous page lead through all guides, in the order of the site map", () => {
  const guides = listedCopies().flatMap((copy) => (copy.includes("/guides/") ? copy.replace(/\.md$/, "") : []));
  const pagers = guides.map((guide) => linksIn(pageAt(guide), /<footer class="VPDocFooter".*?<\/footer>/s));
  const neighbours = guides.map((_, index) =>
    [guides[index - 1], guides[index + 1]].filter((path) => path !== undefined),
  );
  expect(guides.length).toBeGreaterThan(50);
  expect(pagers).toEqual(neighbours);
});

it("the pictures of the start page are small enough for a telephone: at most 100 kB each", () => {
  const start = pageAt(base);
  const pictures = [...valuesOf(start, "src"), ...valuesOf(start, "srcset")].filter((url) => url.endsWith(".png"));
  const large = pictures.filter((url) => statSync(join(folder, url.slice(base.length))).size > 100_000);
  expect(pictures).toHaveLength(4);
  expect(large).toEqual([]);
});

it("llms-full.txt has the copy of every page once: those in llms.txt first, in the same order, then those of exports", () => {
  const parts = textOf("llms-full.txt").split(/^---\nurl: (\S+)\n---\n\n/m);
  const urls = parts.filter((_, index) => index % 2 === 1);
  const copies = pages.flatMap(({ path }) =>
    path === `${base}404` ? [] : `${path === base ? `${base}index` : path}.md`,
  );
  expect(urls.toSorted()).toEqual(copies.toSorted());
  for (const [index, url] of urls.entries()) {
    expect(parts[index * 2 + 2]?.trim(), url).toBe(textOf(url.slice(base.length)).trim());
  }
  const listed = listedCopies();
  expect(urls.slice(0, listed.length)).toEqual(listed);
  expect(urls.slice(listed.length).filter((url) => !url.startsWith(`${base}api/`))).toEqual([]);
});

it("the text for an address without a page leads to files that exist", () => {
  const named = [...textOf("404.txt").matchAll(/: (\/\S+)$/gm)].map(([, path = ""]) => path);
  expect(named).toEqual(["index.md", "llms.txt", "llms-full.txt", "errors.md"].map((file) => base + file));
  expect(named.filter((path) => !paths.has(path))).toEqual([]);
});

function listedCopies(): readonly string[] {
  return [...textOf("llms.txt").matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, path = ""]) => path);
}

function textOf(file: string): string {
  return readFileSync(join(folder, file), "utf8");
}

function pageAt(path: string): string {
  return pages.find((page) => page.path === path)?.html ?? "";
}

function linksIn(html: string, part: RegExp): readonly string[] {
  return valuesOf(part.exec(html)?.[0] ?? "", "href");
}

function valuesOf(html: string, attribute: string): readonly string[] {
  const tags = html.match(/<[a-z][^<>]*>/g) ?? [];
  return tags.flatMap((tag) => new RegExp(` ${attribute}="([^"]*)"`).exec(tag)?.[1] ?? []);
}
