import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type DefaultTheme } from "vitepress";
import { notFoundText } from "./not-found.ts";
import type { Page } from "./page.ts";
import { pagesOf, readSite, type SiteSection } from "./read-site.ts";
import { base, withLinks, writeCopies, writeSources } from "./write-pages.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const sources = fileURLToPath(new URL("../pages", import.meta.url));
/** The result. It is named like the path under which the platform serves it. */
const target = fileURLToPath(new URL("../dist/docs", import.meta.url));

const { site, exports } = await readSite(root);
const pages = withLinks([...pagesOf(site), ...exports], root, sources);

rmSync(sources, { recursive: true, force: true });
rmSync(dirname(target), { recursive: true, force: true });
writeSources(pages, pagesBeforeGroups(site), sources);
mkdirSync(join(sources, ".vitepress/theme"), { recursive: true });
mkdirSync(join(sources, "public"));
copyFileSync(join(root, "packages/private/accounts/src/pages/icon.svg"), join(sources, "public/icon.svg"));
// VitePress requires default exports.
const settings = [base, target, { nav: navOf(site), sidebar: sidebarsOf(site) }].map((each) => JSON.stringify(each));
writeFileSync(
  join(sources, ".vitepress/config.ts"),
  `import { siteConfig } from "../../src/config.ts";\nexport default siteConfig(${settings.join(", ")});\n`,
);
// The style sheet comes after those of VitePress.
writeFileSync(
  join(sources, ".vitepress/theme/index.ts"),
  'export { theme as default } from "../../../src/theme.ts";\nimport "../../../src/theme.css";\n',
);
await build(sources);
writeFileSync(join(target, "404.txt"), notFoundText(base));
writeCopies(pages, site, target);

function navOf(site: readonly SiteSection[]): DefaultTheme.NavItem[] {
  const links = site.flatMap(({ title, groups }) => {
    const first = groups[0]?.pages[0];
    return first === undefined ? [] : [{ text: title, link: linkOf(first), activeMatch: `^/${placeOf(first)}(?:/|$)` }];
  });
  // What readers open less often.
  return [...links.slice(0, 6), { text: "More", items: links.slice(6) }];
}

/** Returns the sidebar of each section, by the first part of its URLs. A section that folds has one for each group, by the first two parts. */
function sidebarsOf(site: readonly SiteSection[]): DefaultTheme.SidebarMulti {
  const sidebars = site.toReversed().flatMap((section) => {
    const { groups, folds = false } = section;
    return (folds ? groups.map((group) => [group]) : [groups]).flatMap((open) => {
      const places = new Set(open.flatMap(({ pages }) => pages.map((page) => placeOf(page, folds ? 2 : 1))));
      return [...places].map((place) => [`/${place}`, itemsOf(section, open)] as const);
    });
  });
  return Object.fromEntries(sidebars);
}

/** Returns the page before the first page of a group, by the URL of the latter: the sidebar of a section that folds lacks it. */
function pagesBeforeGroups(site: readonly SiteSection[]): ReadonlyMap<string, Page> {
  const folding = site.filter(({ folds }) => folds);
  const pairs = folding.flatMap(({ groups }) =>
    groups.flatMap(({ pages: [first] }, index) => {
      const before = groups[index - 1]?.pages.at(-1);
      return first === undefined || before === undefined ? [] : [[first.url, before] as const];
    }),
  );
  return new Map(pairs);
}

/** Returns the items of a sidebar. Of a group that has a title and is not open, it is a link to the first page. */
function itemsOf({ title, groups }: SiteSection, open: SiteSection["groups"]): DefaultTheme.SidebarItem[] {
  return groups.flatMap((group) => {
    const [first] = group.pages;
    if (first === undefined) return [];
    return group.title === undefined || open.includes(group)
      ? { text: group.title ?? title, items: group.pages.map((page) => ({ text: page.label, link: linkOf(page) })) }
      : { text: group.title, link: linkOf(first), docFooterText: first.label };
  });
}

function placeOf({ url }: Page, parts = 1): string {
  return url === "index" ? "" : url.split("/", parts).join("/");
}

function linkOf({ url }: Page): string {
  return url === "index" ? "/" : `/${url}`;
}
