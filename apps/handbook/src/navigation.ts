import type { DefaultTheme } from "vitepress";
import type { Page } from "./page.ts";
import type { SiteSection } from "./read-site.ts";

/** Returns a link to the first page of each section. */
export function navOf(site: readonly SiteSection[]): DefaultTheme.NavItem[] {
  const links = site.flatMap(({ title, groups }) => {
    const first = groups[0]?.pages[0];
    return first === undefined ? [] : [{ text: title, link: linkOf(first), activeMatch: `^/${placeOf(first)}(?:/|$)` }];
  });
  // What readers open less often.
  return [...links.slice(0, 6), { text: "More", items: links.slice(6) }];
}

/** Returns the sidebar of each section, by the first part of its URLs. A section that folds has one for each group, by the first two parts. */
export function sidebarsOf(site: readonly SiteSection[]): DefaultTheme.SidebarMulti {
  const sidebars = site.toReversed().flatMap((section) => {
    const { groups, folds = false } = section;
    return (folds ? groups.map((group) => [group]) : [groups]).flatMap((open) => {
      const places = new Set(open.flatMap(({ pages }) => pages.map((page) => placeOf(page, folds ? 2 : 1))));
      return [...places].map((place) => [`/${place}`, itemsOf(section, open)] as const);
    });
  });
  return Object.fromEntries(sidebars);
}

/** Returns the page before the first page of a group, which the sidebar of a section that folds does not contain. */
export function pagesBeforeGroups(site: readonly SiteSection[]): ReadonlyMap<Page, Page> {
  const folding = site.filter(({ folds }) => folds);
  const pairs = folding.flatMap(({ groups }) =>
    groups.flatMap(({ pages: [first] }, index) => {
      const before = groups[index - 1]?.pages.at(-1);
      return first === undefined || before === undefined ? [] : [[first, before] as const];
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

/** Returns the first parts of the URL of a page, such as "guides" or "guides/client". */
function placeOf({ url }: Page, parts = 1): string {
  return url === "index" ? "" : url.split("/", parts).join("/");
}

function linkOf({ url }: Page): string {
  return url === "index" ? "/" : `/${url}`;
}
