import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./pages.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The two pages that sources cite, by their names in citations. */
const pages = { SPEC: "docs/specification.md", DECISIONS: "docs/decisions.md" };

/** Matches "SPEC section n.m", "DECISIONS sections n and m" and "DECISIONS n, rules p to q", in full or shortened. */
const citation =
  /\b(SPEC|DECISIONS)(?: sections?)? (\d+(?:\.\d+)?(?: and \d+(?:\.\d+)?)*)(?:, rules? (\d+(?:(?: and | to )\d+)*))?/g;

/** Returns the sections and list items that a text cites, such as "DECISIONS 3" and "DECISIONS 3.5". */
function citedIn(text: string): string[] {
  return [...text.matchAll(citation)].flatMap(([, page, sections = "", rules]) => {
    const numbers = numbersIn(sections);
    const points = rules === undefined ? [] : numbersIn(rules).map((rule) => `${numbers.at(-1)}.${rule}`);
    return [...numbers, ...points].map((number) => `${page} ${number}`);
  });
}

/** Returns the numbers of a page's sections, and of their list items, such as "3.5". */
function sectionsOf(page: string): string[] {
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

const sections = Object.entries(pages).flatMap(([name, path]) =>
  sectionsOf(read(path)).map((number) => `${name} ${number}`),
);
const sources = globSync(["{packages,apps,tools,tools/docs}/*/{src,examples}/**/*.ts", "proto/platform/**/*.proto"], {
  cwd: root,
});
/** What sources cite, each with the path of one such source. */
const citations = new Map(sources.flatMap((path) => citedIn(read(path)).map((cited) => [cited, path])));

it.each(Object.keys(pages))("%s is cited", (page) => {
  expect([...citations.keys()]).toContainEqual(expect.stringMatching(`^${page} `));
});

it.each([...citations].sort())("the cited section exists: %s, as in %s", (cited) => {
  expect(sections).toContain(cited);
});
