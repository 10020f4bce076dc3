import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = ".changeset";
const contractPackage = /^["']?@platform-rpc\/types["']?\s*:\s*(?:patch|minor|major)\s*$/m;

/** Whether a changeset tells callers that the contract's package changed. */
export function contractHasChangeset(root: string): boolean {
  const path = join(root, folder);
  if (!existsSync(path)) return false;
  return readdirSync(path)
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .some((file) => contractPackage.test(frontMatterOf(readFileSync(join(path, file), "utf8"))));
}

function frontMatterOf(text: string): string {
  return /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? "";
}
