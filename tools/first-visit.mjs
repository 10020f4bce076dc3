// Does what the README tells a new reader to do, with the Node and in the folders of this machine: starts the platform, opens
// what it prints, runs each curl line as it is pasted, makes the first call from a project next to the clone, stops the platform,
// and runs the demo. `.ci/run` runs this first, in a fresh clone, so that these commands install and build everything by
// themselves. The README's other command, the tests, comes after it. PORT, INTERNAL_PORT and ACCOUNTS_PORT select other ports.
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
/** Longer than an install and a build take on a slow machine. */
const longestMs = 15 * 60_000;

const { PORT = "8080", INTERNAL_PORT = "8081", ACCOUNTS_PORT = "8082" } = process.env;
const readme = readFileSync(`${root}README.md`, "utf8");
const start = commandOf("start");
const demo = commandOf("demo");
const shown = blocksOf(readme, "text")[0]
  ?.replaceAll(":8080", `:${PORT}`)
  .replaceAll(":8081", `:${INTERNAL_PORT}`)
  .replaceAll(":8082", `:${ACCOUNTS_PORT}`);
const guide = readFileSync(`${root}packages/client/README.md`, "utf8");
const firstCall = /^## First call\n.*?(?=^## )/ms.exec(guide)?.[0] ?? "";

/**
 * @param {string} text
 * @param {string} language
 */
function blocksOf(text, language) {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, block = ""]) => block);
}

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
  if (shown === undefined || !printed.includes(shown)) throw new Error(`README.md shows something else:\n${printed}`);
});
const address = /^Open (http:\S+)/m.exec(printed)?.[1];
await check(`Open ${address}`, () => paste(`curl -sS ${address}`));
const printedCurls = printed.match(/^curl .*$/gm) ?? [];
for (const line of [...printedCurls, ...printedCurls]) {
  await check(line.replace(/ -H .*/, " …"), () => paste(line));
}
await check("the first call of packages/client/README.md", async () => {
  const folder = mkdtempSync(join(tmpdir(), "first-visit-"));
  try {
    symlinkSync(root, join(folder, "platform"));
    const [makeProject = "", runProgram = ""] = blocksOf(firstCall, "sh");
    await run("bash", ["-ec", makeProject], { cwd: folder });
    const project = join(folder, "my-app");
    const [, name = ""] = /^Save this program as `(.+)`:$/m.exec(firstCall) ?? [];
    writeFileSync(join(project, name), blocksOf(firstCall, "ts")[0] ?? "");
    const env = { ...process.env, PLATFORM_URL: `http://127.0.0.1:${PORT}` };
    const { stdout } = await run("bash", ["-c", runProgram], { cwd: project, env });
    const withoutSequence = (/** @type {string} */ text) => text.replace(/sequence \d+/, "sequence");
    const [expected = ""] = blocksOf(firstCall, "text");
    if (withoutSequence(stdout) !== withoutSequence(expected)) throw new Error(`It printed ${stdout}, not ${expected}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
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

if (printedCurls.length !== 2) {
  failed += 1;
  console.log(`FAILED: ${start} prints ${printedCurls.length} curl lines, not 2.`);
}
process.exitCode = failed > 0 ? 1 : 0;
