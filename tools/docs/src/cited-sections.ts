import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./pages.ts";

/** The two pages that sources cite, by their names in citations. */
const pages = { SPEC: "docs/specification.md", DECISIONS: "docs/decisions.md" };

/** Matches "SPEC section n.m", "DECISIONS sections n and m" and "DECISIONS n, rules p to q", in full or shortened. */
const citation =
  /\b(SPEC|DECISIONS)(?: sections?)? (\d+(?:\.\d+)?(?: and \d+(?:\.\d+)?)*)(?:, rules? (\d+(?:(?: and | to )\d+)*))?/g;

/** Returns the sections and list items that a text cites, such as "DECISIONS 3" and "DECISIONS 3.5". */
export function citedIn(text: string): string[] {
  return [...text.matchAll(citation)].flatMap(([, page, sections = "", rules]) => {
    const numbers = numbersIn(sections);
    const points = rules === undefined ? [] : numbersIn(rules).map((rule) => `${numbers.at(-1)}.${rule}`);
    return [...numbers, ...points].map((number) => `${page} ${number}`);
  });
}

/** Returns every section and list item that sources cite, each with the path of one such source. */
export function readCitations(): Map<string, string> {
  const sources = globSync(["{packages,apps,tools}/*/{src,examples}/**/*.ts", "proto/platform/**/*.proto"], {
    cwd: root,
  });
  return new Map(
    sources.flatMap((path) => citedIn(readFileSync(join(root, path), "utf8")).map((cited) => [cited, path] as const)),
  );
}

/** Returns everything that can be cited: the numbered headings of both pages, and the items of numbered lists below them. */
export function readSections(): Set<string> {
  return new Set(
    Object.entries(pages).flatMap(([name, path]) =>
      sectionsOf(readFileSync(join(root, path), "utf8")).map((number) => `${name} ${number}`),
    ),
  );
}

/** Returns the numbers of a page's sections, and of their list items, such as "3.5". */
export function sectionsOf(page: string): string[] {
  let section = "";
  return [...page.matchAll(/^#+ (?:(\d+(?:\.\d+)?)\b)?|^(\d+)\. /gm)].flatMap(([, heading = "", point]) => {
    if (point === undefined) section = heading;
    if (section === "") return [];
    return point === undefined ? [section] : [`${section}.${point}`];
  });
}

function numbersIn(text: string): string[] {
  return text.split(/ and | to /);
}
