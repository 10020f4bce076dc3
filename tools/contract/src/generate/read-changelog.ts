import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Changelog, parseChangelog } from "../render/changelog.ts";

/**
 * Reads the changelog of @platform-rpc/types. It is complete for the contract: `pnpm contract` rejects a change that no changeset
 * names, and a release turns changesets into the changelog.
 */
export function readChangelog(root: string): Changelog {
  const path = join(root, "packages/types/CHANGELOG.md");
  return existsSync(path) ? parseChangelog(readFileSync(path, "utf8")) : [];
}
