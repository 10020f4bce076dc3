import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface Page {
  readonly path: string;
  readonly folder: string;
  readonly text: string;
}

export function readPages(): Page[] {
  const folders = "docs/{,concepts/,internals/,operate/}*.md";
  const paths = globSync(["*.md", folders, "{packages,apps,tools}/*/README.md"], { cwd: root });
  return paths.sort().map((path) => {
    const absolute = join(root, path);
    return { path, folder: dirname(absolute), text: readFileSync(absolute, "utf8") };
  });
}
