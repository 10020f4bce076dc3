import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Finding, failure, startOf } from "../model/finding.ts";

/** What is compared byte by byte, or line by line. */
const compared = ["proto/**/*.proto", "packages/*/api.md", "tools/contract/released/*.json"];

/** Returns one finding for all files with Windows line endings: everything in them would differ. */
export function windowsLineEndings(root: string): readonly Finding[] {
  const files = globSync(compared, { cwd: root }).filter((file) => readFileSync(join(root, file)).includes("\r\n"));
  const [first] = files.sort();
  if (first === undefined) return [];
  const subject = files.length === 1 ? `${first} has` : `${first} and ${files.length - 1} more have`;
  const message =
    `${subject} Windows line endings (CRLF), which git writes if core.autocrlf is true: nothing was checked.\n` +
    "Fix: commit or stash your changes, then run `git config core.autocrlf false && git rm -rq --cached . && git reset --hard`.";
  return [failure("line-endings", startOf(first), message)];
}
