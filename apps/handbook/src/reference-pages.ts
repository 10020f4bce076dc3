import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeReferencePages } from "@platform-rpc/api-reference";
import { type Page, wholePage } from "./page.ts";

/** The pages of the public API: those of entry points, which the sidebar shows, and those of exports. */
export interface ReferencePages {
  readonly entries: readonly Page[];
  readonly exports: readonly Page[];
}

/** Reads the pages of the public API from the declarations of the built packages. */
export async function readReferencePages(): Promise<ReferencePages> {
  const folder = mkdtempSync(join(tmpdir(), "site-"));
  try {
    await writeReferencePages(folder);
    const pages = globSync("**/*.md", { cwd: folder })
      .sort()
      .map((path) =>
        wholePage(`api/${path.replace(/(?:\/index)?\.md$/, "")}`, `reference/${path}`, textOf(folder, path)),
      );
    const isEntry = ({ source }: Page) => source.endsWith("/index.md");
    return {
      entries: pages.filter((page) => isEntry(page) && page.source !== "reference/index.md"),
      exports: pages.filter((page) => !isEntry(page)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function textOf(folder: string, path: string): string {
  return readFileSync(join(folder, path), "utf8");
}
