import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Page, wholePage } from "./page.ts";

/** Reads the changelog of each package or, before its first release, what the release will say. */
export function readChangelogPages(root: string): readonly Page[] {
  const released = globSync("packages/*/CHANGELOG.md", { cwd: root }).map((path) =>
    wholePage(`changelog/${basename(dirname(path))}`, path, readFileSync(join(root, path), "utf8")),
  );
  const pending = globSync(".changeset/first-release-*.md", { cwd: root }).map((path) => {
    const name = basename(path, ".md").replace("first-release-", "");
    const text = readFileSync(join(root, path), "utf8").replace(/^---\n.*?\n---\n/s, "");
    return wholePage(`changelog/${name}`, path, `# @platform-rpc/${name}\n\nNot yet released.\n${text}`);
  });
  const pages = [...released, ...pending].sort((one, other) => (one.url < other.url ? -1 : 1));
  const list = pages.map(({ title, source }) => `- [${title}](${source})`).join("\n");
  const index = `# Changelog\n\nWhat callers can notice, by package.\n\n${list}\n`;
  return [wholePage("changelog", "CHANGELOG.md", index), ...pages];
}
