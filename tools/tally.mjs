// Prints a line for each gate that turbo ran, and then the tally: "<n> passed, <n> failed". Each test counts as one, and so does each
// gate, and each further command. Usage: node tools/tally.mjs CODE [CODE…]: the exit codes of `pnpm test` and of the further commands.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [tested, ...others] = argv.slice(2).map((code) => code === "0");

/** @param {string} path */
const read = (path) => JSON.parse(readFileSync(path, "utf8"));

/** @returns {readonly [name: string, passed: boolean][]} each gate of the summary that `pnpm gates` has left */
function gates() {
  const folder = `${root}.turbo/runs`;
  const files = existsSync(folder) ? readdirSync(folder) : [];
  if (files.length === 0) return [["gates", false]];
  /** @type {Map<string, boolean>} */
  const passed = new Map();
  for (const { task, command, execution } of files.flatMap((file) => read(`${folder}/${file}`).tasks)) {
    // A gate of all packages passes if it passes in each that has it. Turbo does not run it where a build has failed.
    if (task !== "build" && command !== "<NONEXISTENT>")
      passed.set(task, (passed.get(task) ?? true) && execution?.exitCode === 0);
  }
  return [...passed];
}

/** A run without a failed test also fails if no test ran, a file could not be loaded, or an error was not handled. */
function tests() {
  const file = `${root}node_modules/.vitest/report.json`;
  const { numPassedTests, numFailedTests } = existsSync(file) ? read(file) : { numPassedTests: 0, numFailedTests: 0 };
  const failed = tested && numPassedTests > 0 ? numFailedTests : Math.max(numFailedTests, 1);
  return { passed: numPassedTests, failed };
}

const ran = gates();
for (const [name, passed] of ran) console.log(`${passed ? "passed" : "FAILED"}  pnpm ${name}`);
const { passed, failed } = tests();
const all = [...ran.map(([, ok]) => ok), ...others];
const failures = failed + all.filter((ok) => !ok).length;
console.log(`${passed + all.filter((ok) => ok).length} passed, ${failures} failed`);
process.exitCode = failures > 0 ? 1 : 0;
