import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { readPages, root } from "./pages.ts";

/** The folders that pages install from a clone, such as packages/client. */
const folders = [
  ...new Set(
    readPages().flatMap(({ text }) =>
      [...text.matchAll(/^npm install .*/gm)].flatMap(([line]) => line.match(/(?<=\.\.\/platform\/)[\w/-]+/g) ?? []),
    ),
  ),
];

it("the packages that a page installs from a clone can be imported", async () => {
  expect(folders.length).toBeGreaterThan(4);
  const folder = mkdtempSync(join(tmpdir(), "install-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(root, join(folder, "platform"));
  const cwd = join(folder, "project");
  mkdirSync(cwd);
  const run = promisify(execFile);
  // Without a network: what else a page installs is not installed here.
  const options = ["--offline", "--no-audit", "--no-fund", `--cache=${join(folder, "cache")}`];
  await run("npm", ["install", ...options, ...folders.map((path) => `../platform/${path}`)], { cwd });
  const names = folders.map((path): string => JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")).name);
  const script = `await Promise.all(${JSON.stringify(names)}.map((name) => import(name)));`;
  const node = join(folder, "platform/node_modules/.bin/node");
  await run(node, ["--input-type=module", "--eval", script], { cwd });
});
