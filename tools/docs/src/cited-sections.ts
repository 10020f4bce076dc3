import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./pages.ts";

/** What sources call the two pages whose sections they cite. */
const pages = { SPEC: "docs/specification.md", DECISIONS: "docs/decisions.md" };

/** "SPEC section n.m", "DECISIONS sections n and m", "DECISIONS n, rules p to q": in full, or as titles shorten it. */
const citation =
  /\b(SPEC|DECISIONS)(?: sections?)? (\d+(?:\.\d+)?(?: and \d+(?:\.\d+)?)*)(?:, rules? (\d+(?:(?: and | to )\d+)*))?/g;

/** The sections and points that a text cites, as "DECISIONS 3" and "DECISIONS 3.5". */
export function citedIn(text: string): string[] {
  return [...text.matchAll(citation)].flatMap(([, page, sections = "", rules]) => {
    const numbers = numbersIn(sections);
    const points = rules === undefined ? [] : numbersIn(rules).map((rule) => `${numbers.at(-1)}.${rule}`);
    return [...numbers, ...points].map((number) => `${page} ${number}`);
  });
}

/** Every section and point that the sources cite, and one of those who do. */
export function readCitations(): Map<string, string> {
  const sources = globSync(["{packages,apps,tools}/*/{src,examples}/**/*.ts", "proto/platform/**/*.proto"], {
    cwd: root,
  });
  return new Map(
    sources.flatMap((path) => citedIn(readFileSync(join(root, path), "utf8")).map((cited) => [cited, path] as const)),
  );
}

/** What there is to cite: the numbered headings of both pages, and the points of the numbered lists beneath them. */
export function readSections(): Set<string> {
  return new Set(
    Object.entries(pages).flatMap(([name, path]) =>
      sectionsOf(readFileSync(join(root, path), "utf8")).map((number) => `${name} ${number}`),
    ),
  );
}

/** The numbers of a page's sections, and of their points behind a dot. */
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
