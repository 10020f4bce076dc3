import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ErrorReason } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { fileOf, siteFolder } from "./serve-site.ts";
import { base } from "./write-pages.ts";

const files = globSync("**/*.html", { cwd: siteFolder }).sort();
const pages = files.map((file) => {
  const html = readFileSync(join(siteFolder, file), "utf8");
  return { file, path: base + file.replace(/(?:^index)?\.html$/, ""), html };
});
const idsByFile = new Map(pages.map(({ file, html }) => [file, new Set(valuesOf(html, "id"))]));

it("every link on a page leads to a page, and to a heading that it has", () => {
  const broken = pages.flatMap(({ path, html }) =>
    valuesOf(html, "href").flatMap((href) => {
      const url = new URL(href.replaceAll("&amp;", "&"), `http://site${path}`);
      if (url.host !== "site") return [];
      const file = fileOf(url.pathname);
      const ids = file === undefined ? undefined : idsByFile.get(file.slice(siteFolder.length + 1));
      const anchor = decodeURIComponent(url.hash.slice(1));
      return file === undefined || (anchor !== "" && !ids?.has(anchor)) ? `${path}: ${href}` : [];
    }),
  );
  expect(broken).toEqual([]);
});

describe("the URL in an error is a page", () => {
  const reasons = Object.values(ErrorReason).filter((reason) => typeof reason === "string" && reason !== "UNSPECIFIED");
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const others = globSync("docs/{client,member}-errors/[A-Z]*_*.md", { cwd: root });
  const named = others.map((path) => path.replace(/^.*\/|\.md$/g, ""));

  it.each([...reasons, ...named])("errors/%s", (reason) => {
    const page = pages.find(({ path }) => path === `${base}errors/${reason}`);
    expect(page?.html).toContain(`${reason}`);
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

it("a sidebar has at most 50 links, because a telephone needs time for each when a page opens", () => {
  const long = pages.filter(({ html }) => linksIn(html, /<aside class="VPSidebar".*?<\/aside>/s).length > 50);
  expect(long.map(({ path }) => path)).toEqual([]);
});

it("the sidebar of a guide shows the pages of its group, and the first page of the other groups", () => {
  const html = pages.find(({ path }) => path === `${base}guides/server`)?.html ?? "";
  const links = linksIn(html, /<aside class="VPSidebar".*?<\/aside>/s);
  expect(links).toContain(`${base}guides/server/backups`);
  expect(links).toContain(`${base}guides/client`);
  expect(links).not.toContain(`${base}guides/client/install`);
});

it("the links to the next and the previous page lead through all guides, in the order of the site map", () => {
  const list = readFileSync(join(siteFolder, "llms.txt"), "utf8");
  const guides = [...list.matchAll(/^- \[[^\]]+\]\((\S+\/guides\/\S+)\.md\)/gm)].map(([, path = ""]) => path);
  const pagers = guides.map((guide) => {
    const html = pages.find(({ path }) => path === guide)?.html ?? "";
    return linksIn(html, /<footer class="VPDocFooter".*?<\/footer>/s);
  });
  expect(guides.length).toBeGreaterThan(50);
  const neighbours = guides.map((_, index) =>
    [guides[index - 1], guides[index + 1]].filter((path) => path !== undefined),
  );
  expect(pagers).toEqual(neighbours);
});

it("the pictures of the start page are small enough for a telephone: at most 100 kB each", () => {
  const start = pages.find(({ path }) => path === base)?.html ?? "";
  const pictures = [...valuesOf(start, "src"), ...valuesOf(start, "srcset")].filter((url) => url.endsWith(".png"));
  const large = pictures.filter((url) => statSync(join(siteFolder, url.slice(base.length))).size > 100_000);
  expect(pictures).toHaveLength(4);
  expect(large).toEqual([]);
});

it("every page has a copy in Markdown", () => {
  const without = pages.filter(({ path }) => fileOf(`${path === base ? `${base}index` : path}.md`) === undefined);
  expect(without.map(({ path }) => path)).toEqual([`${base}404`]);
});

it("every page in llms.txt exists", () => {
  const list = readFileSync(join(siteFolder, "llms.txt"), "utf8");
  const listed = [...list.matchAll(/^(?:- )?\[[^\]]+\]\(([^)]+)\)/gm)].map(([, path = ""]) => path);
  expect(listed).toContain(`${base}llms-full.txt`);
  expect(listed.length).toBeGreaterThan(100);
  expect(listed.filter((path) => fileOf(path) === undefined)).toEqual([]);
});

describe("an address without a page", () => {
  const html = readFileSync(join(siteFolder, "404.html"), "utf8");
  const text = readFileSync(join(siteFolder, "404.txt"), "utf8");

  it("has a page that says so without scripts, and links to the start and the errors", () => {
    const [main = ""] = /<main class="vp-doc not-found">.*?<\/main>/s.exec(html) ?? [];
    expect(main).toContain("Page not found");
    expect(valuesOf(main, "href")).toEqual([base, `${base}errors`]);
    expect(main).toMatch(/<button [^>]*>Search<\/button>/);
  });

  it("has the same as plain text, whose paths exist", () => {
    expect(text).toMatch(/^Page not found\. /);
    const paths = [...text.matchAll(/: (\/\S+)$/gm)].map(([, path = ""]) => path);
    expect(paths).toEqual(["index.md", "llms.txt", "llms-full.txt", "errors.md"].map((file) => base + file));
    expect(paths.filter((path) => fileOf(path) === undefined)).toEqual([]);
  });
});

describe("llms-full.txt", () => {
  const full = readFileSync(join(siteFolder, "llms-full.txt"), "utf8");
  const starts = [...full.matchAll(/^---\nurl: (\/docs\/\S+\.md)\n---\n\n/gm)];
  const parts = starts.map(({ 0: head, 1: url = "", index }, at) => ({
    url,
    text: full.slice(index + head.length, starts[at + 1]?.index),
  }));

  it("contains the Markdown of every page, each once", () => {
    const copies = globSync("**/*.md", { cwd: siteFolder }).map((file) => ({
      url: base + file,
      text: readFileSync(join(siteFolder, file), "utf8").trim(),
    }));
    const byUrl = (one: { readonly url: string }, other: { readonly url: string }) => (one.url < other.url ? -1 : 1);
    expect(parts.map(({ url, text }) => ({ url, text: text.trim() })).sort(byUrl)).toEqual(copies.sort(byUrl));
  });

  it("has the pages of the site map in its order, and the pages of exports after them", () => {
    const list = readFileSync(join(siteFolder, "llms.txt"), "utf8");
    const listed = [...list.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, path]) => path);
    const urls = parts.map(({ url }) => url);
    expect(urls.slice(0, listed.length)).toEqual(listed);
    expect(urls.slice(listed.length).filter((url) => !url.startsWith(`${base}api/`))).toEqual([]);
  });
});

/** Returns where the links in a part of a page lead. */
function linksIn(html: string, part: RegExp): readonly string[] {
  return valuesOf(part.exec(html)?.[0] ?? "", "href");
}

function valuesOf(html: string, attribute: string): readonly string[] {
  const tags = html.match(/<[a-z][^<>]*>/g) ?? [];
  return tags.flatMap((tag) => new RegExp(` ${attribute}="([^"]*)"`).exec(tag)?.[1] ?? []);
}
