// Prints the lines of source and of tests of each part of the repository and their budgets, and fails above one. `pnpm lint` runs this.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * The folders of each part of the repository, and its largest numbers of lines: of source, and of tests. A change may lower a number. To
 * raise one, say in the commit message what the new lines are for.
 *
 * @type {readonly (readonly [part: string, folders: RegExp, source: number, tests: number])[]}
 */
const budgets = [
  ["packages/server", /^packages\/server\//, 26_630, 27_200],
  ["accounts", /^packages\/private\/accounts\//, 13_650, 8_125],
  ["packages/client", /^packages\/client\//, 5_980, 8_700],
  ["cli, mcp, signed-in", /^packages\/(cli|mcp|private\/signed-in)\//, 6_760, 4_360],
  ["credential-broker", /^packages\/private\/credential-broker\//, 1_800, 1_465],
  ["items", /^packages\/private\/items\//, 1_960, 1_500],
  ["front, files, options, broker", /^packages\/(private\/(front|files|options)|broker)\//, 3_450, 2_110],
  ["apps/console", /^apps\/console\//, 18_260, 3_970],
  ["apps/platform", /^apps\/platform\//, 7_230, 17_880],
  ["proto", /^proto\//, 3_510, 0],
  ["tools, handbook", /^(tools|apps\/handbook)\//, 19_560, 4_650],
  ["all", /^/, 109_300, 79_740],
];

const handWritten = /\.(ts|tsx|mjs|cjs|css|proto|sh)$/;
const notHandWritten = /(^|\/)(gen|dist|released)\/|^proto\/(buf|google)\//;
const test = /\.test\.|\/(test|testing|wire|fixtures)\//;

/** @param {string} path */
const linesOf = (path) => readFileSync(root + path, "utf8").split("\n").length - 1;

const files = execFileSync("git", ["ls-files", "--deduplicate"], { cwd: root, encoding: "utf8" }).trimEnd().split("\n");
const counted = files
  .filter((path) => handWritten.test(path) && !notHandWritten.test(path) && existsSync(root + path))
  .map((path) => ({ path, isTest: test.test(path), lines: linesOf(path) }));

/** @param {readonly (string | number)[]} cells */
function printRow([part = "", ...cells]) {
  console.log(String(part).padEnd(32) + cells.map((cell) => cell.toLocaleString("en").padStart(9)).join(""));
}

printRow(["lines", "source", "budget", "tests", "budget"]);
for (const [part, folders, sourceBudget, testBudget] of budgets) {
  const inPart = counted.filter(({ path }) => folders.test(path));
  /** @param {boolean} isTest */
  const sum = (isTest) => inPart.reduce((total, each) => total + (each.isTest === isTest ? each.lines : 0), 0);
  printRow([part, sum(false), sourceBudget, sum(true), testBudget]);
  if (sum(false) <= sourceBudget && sum(true) <= testBudget) continue;
  process.exitCode = 1;
  console.error(`${part} has more lines than its budget. Remove what is not needed; never write denser.`);
}
