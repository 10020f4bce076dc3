// Does what the README tells a new reader to do, with the Node and in the folders of this machine: starts the platform, opens
// what it prints, runs each curl line as it is pasted, stops it, and runs the demo. `.ci/run` runs this first, in a fresh clone,
// so that these commands install and build everything by themselves. The README's other command, the tests, comes after it.
import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
/** Longer than an install and a build take on a slow machine. */
const longestMs = 15 * 60_000;

const readme = readFileSync(`${root}README.md`, "utf8");
const start = commandOf("start");
const demo = commandOf("demo");
const curlsInReadme = readme.match(/^curl (?:.*\\\n)*.*$/gm) ?? [];

/** @param {string} script */
function commandOf(script) {
  const [command] = new RegExp(`\\b(?:npm|npx -y pnpm@\\d+) ${script}\\b`).exec(readme) ?? [];
  if (command === undefined) throw new Error(`README.md does not name the command ${script}.`);
  return command;
}

let failed = 0;
/**
 * @param {string} name
 * @param {() => Promise<void>} step
 */
async function check(name, step) {
  const begun = Date.now();
  const error = await step().then(
    () => undefined,
    (/** @type {unknown} */ thrown) => thrown,
  );
  if (error !== undefined) failed += 1;
  const seconds = ((Date.now() - begun) / 1000).toFixed(1).padStart(7);
  console.log(`${error === undefined ? "passed" : "FAILED"} ${seconds} s  ${name}`);
  if (error !== undefined) console.log(error instanceof Error ? error.message : error);
}

/**
 * Runs a pasted line in a shell. It must answer 200.
 *
 * @param {string} line
 */
async function paste(line) {
  const { stdout } = await run("bash", ["-c", `${line} -w '\\n%{http_code}'`], { cwd: root });
  const lines = stdout.split("\n");
  if (lines.at(-1) !== "200") throw new Error(`It answered ${lines.at(-1)}: ${lines[0]?.slice(0, 200)}`);
}

// A group of its own, so that a signal reaches every process of it, as Ctrl+C does.
const platform = spawn("bash", ["-c", `exec ${start}`], {
  cwd: root,
  detached: true,
  stdio: ["ignore", "pipe", "pipe"],
});
const ended = new Promise((resolve) => platform.on("close", (code, signal) => resolve(code ?? signal)));
let printed = "";
for (const stream of [platform.stdout, platform.stderr]) {
  stream.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    printed += text;
  });
}
/** @param {NodeJS.Signals} signal */
function stop(signal) {
  try {
    process.kill(-(platform.pid ?? 0), signal);
  } catch {
    // It has ended.
  }
}
const kill = setTimeout(() => stop("SIGKILL"), longestMs);

await check(start, async () => {
  const last = "Press Ctrl+C to stop.";
  const over = await Promise.race([
    ended,
    new Promise((resolve) => {
      platform.stdout.on("data", () => {
        if (printed.includes(last)) resolve(undefined);
      });
    }),
  ]);
  if (over !== undefined) throw new Error(`It ended with ${over}:\n${printed}`);
});
const address = /^Open (http:\S+)/m.exec(printed)?.[1];
await check(`Open ${address}`, () => paste(`curl -sS ${address}`));
const printedCurls = printed.match(/^curl .*$/gm) ?? [];
for (const line of [...printedCurls, ...curlsInReadme, ...printedCurls]) {
  await check(line.replace(/\s+(?:\\\n\s*)?-H .*/s, " …"), () => paste(line));
}
await check("Press Ctrl+C to stop.", async () => {
  stop("SIGINT");
  const code = await ended;
  if (code !== 0 && code !== 130) throw new Error(`It ended with ${code}:\n${printed}`);
});
clearTimeout(kill);

await check(demo, async () => {
  const { stdout } = await run("bash", ["-c", demo], { cwd: root, timeout: longestMs });
  if (!stdout.trimEnd().endsWith("All steps passed.")) throw new Error(stdout);
});

if (printedCurls.length !== 2 || curlsInReadme.length !== 2) {
  failed += 1;
  console.log(
    `FAILED: ${start} prints ${printedCurls.length} curl lines, and README.md has ${curlsInReadme.length}, not 2.`,
  );
}
process.exitCode = failed > 0 ? 1 : 0;
