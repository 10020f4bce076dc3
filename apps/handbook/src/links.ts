import { existsSync, statSync } from "node:fs";
import { posix } from "node:path";
import type { Page } from "./page.ts";
import { mapProse } from "./prose.ts";

/** Where a link of a page leads. */
export type Target =
  | { readonly kind: "page"; readonly page: Page; readonly anchor: string }
  | { readonly kind: "image"; readonly path: string }
  | { readonly kind: "file"; readonly path: string; readonly folder: boolean }
  | { readonly kind: "outside" }
  | { readonly kind: "broken"; readonly problem: string };

/** Finds the target of a link by the text in parentheses. */
export type FindTarget = (from: Page, link: string) => Target;

/** Creates the function that finds targets among these pages, and among the files of the workspace. */
export function createFindTarget(pages: readonly Page[], root: string): FindTarget {
  const bySource = Map.groupBy(pages, ({ source }) => source);

  return (from, link) => {
    if (/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(link)) return { kind: "outside" };
    const [path = "", anchor = ""] = link.split("#", 2).map((part) => decodeURIComponent(part));
    const source = path === "" ? from.source : posix.join(posix.dirname(from.source), path).replace(/\/$/, "");
    const found = bySource.get(source) ?? bySource.get(`${source}/README.md`);
    if (found !== undefined) return pageTarget(from, link, found, anchor);
    const file = posix.join(root, source);
    if (!existsSync(file)) return broken(from, link, "does not exist");
    if (/\.(?:png|svg|jpe?g|webp)$/.test(source)) return { kind: "image", path: source };
    return { kind: "file", path: source, folder: statSync(file).isDirectory() };
  };
}

/** Replaces the links of a Markdown text, outside of code. */
export function replaceLinks(text: string, replace: (link: string) => string): string {
  return mapProse(text, (part) =>
    part
      .replace(/\]\(([^()\s]+)\)/g, (_, link: string) => `](${replace(link)})`)
      .replace(/\b(src|srcset|href)="([^"]+)"/g, (_, name: string, link: string) => `${name}="${replace(link)}"`),
  );
}

function pageTarget(from: Page, link: string, [first, ...others]: readonly Page[], anchor: string): Target {
  if (first === undefined) return broken(from, link, "has no page");
  if (anchor === "") return { kind: "page", page: first, anchor };
  const page = [first, ...others].find(({ anchors }) => anchors.has(anchor));
  if (page === undefined) return broken(from, link, "has no such heading");
  return { kind: "page", page, anchor: page.anchors.get(anchor) ?? "" };
}

function broken({ source }: Page, link: string, problem: string): Target {
  return { kind: "broken", problem: `${source}: ${link} ${problem}` };
}
