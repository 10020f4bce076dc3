import type { Operation } from "../model/contract.ts";

/** One released change: the version of @platform-rpc/types that brought it, and its text on one line. */
export interface Change {
  readonly version: string;
  readonly text: string;
}

/** The released changes, the newest first. Empty before the first release. */
export type Changelog = readonly Change[];

/** Reads the list items below the headings of versions, as changesets writes them. */
export function parseChangelog(source: string): Changelog {
  const [, ...releases] = source.split(/^## /m);
  return releases.flatMap((release) => {
    const [version = ""] = release.split("\n", 1);
    const items = release.split(/^- /m).slice(1);
    return items.map((item) => ({ version: version.trim(), text: textOf(item) }));
  });
}

/** Returns the changes that name an operation, its request or its response. The first release names everything, so it is no change. */
export function changesOf({ method, request, response }: Operation, changelog: Changelog): Changelog {
  const first = changelog.at(-1)?.version;
  const names = [method, ...[request, response].map((name) => name.slice(name.lastIndexOf(".") + 1))];
  return changelog.filter(({ version, text }) => {
    const words = new Set(text.split(/[^\w$-]+/));
    return version !== first && names.some((name) => words.has(name));
  });
}

/** Returns an item on one line, without the commit that changesets writes before it. */
function textOf(item: string): string {
  const [text = ""] = item.split(/^### /m, 1);
  return text
    .replace(/^[0-9a-f]{7,40}: /, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
