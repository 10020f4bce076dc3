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

/** Returns the sidebar of each section, by the first part of its URLs. */
export function sidebarsOf(site: readonly SiteSection[]): DefaultTheme.SidebarMulti {
  const sidebars = site.toReversed().flatMap(({ title, groups }) => {
    const items = groups.map((group) => ({
      text: group.title ?? title,
      items: group.pages.map((page) => ({ text: page.label, link: linkOf(page) })),
    }));
    const places = new Set(groups.flatMap(({ pages }) => pages.map(placeOf)));
    return [...places].map((place) => [`/${place}`, items] as const);
  });
  return Object.fromEntries(sidebars);
}

function placeOf({ url }: Page): string {
  return url === "index" ? "" : url.replace(/\/.*/, "");
}

function linkOf({ url }: Page): string {
  return url === "index" ? "/" : `/${url}`;
}
