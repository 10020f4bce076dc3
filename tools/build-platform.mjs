// Builds the platform app, unless nothing has changed since the last build. `npm start` runs this first. Comparing the
// names, sizes and times of the files takes a tenth of the time of asking turbo.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const stampFile = join(root, "node_modules/.cache/platform/build");
/** After this time, a line says that the build is running. */
const patienceMs = 1_000;

const inputs = [
  "apps",
  "packages",
  "proto",
  "tools",
  "package.json",
  "pnpm-lock.yaml",
  "tsconfig.base.json",
  "turbo.json",
];
const ignored = new Set(["node_modules", ".turbo"]);
/** What the build writes outside of `dist`: the paths in .gitignore. */
const written = new Set(
  [...readFileSync(join(root, ".gitignore"), "utf8").matchAll(/^\/(.+?)\/?$/gm)].map(([, path]) => path),
);

/**
 * Lists the files under a path, each with its size and time.
 *
 * @param {string} path
 * @param {{ built: boolean }} options `built: false` leaves out what the build writes.
 * @returns {string[]}
 */
function list(path, { built }) {
  const status = statSync(join(root, path), { bigint: true, throwIfNoEntry: false });
  if (status === undefined) return [];
  if (!status.isDirectory()) return [`${path} ${status.size} ${status.mtimeNs}`];
  return readdirSync(join(root, path))
    .filter((name) => !ignored.has(name) && (built || (name !== "dist" && !written.has(`${path}/${name}`))))
    .flatMap((name) => list(`${path}/${name}`, { built }));
}

/** @param {{ built: boolean }} options */
function stamp(options) {
  const lines = inputs.flatMap((input) => list(input, options)).sort();
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}

/** @returns {string | undefined} */
function lastStamp() {
  try {
    return readFileSync(stampFile, "utf8");
  } catch {
    return undefined;
  }
}

/** @returns {Promise<number>} */
function build() {
  // The documentation takes longer than everything else. It is built once; `pnpm build` brings it up to date.
  const hasSite = existsSync(join(root, "apps/handbook/dist/docs"));
  const filters = ["@platform-rpc/platform", ...(hasSite ? [] : ["@platform-rpc/handbook"])].map(
    (name) => `--filter=${name}...`,
  );
  const turbo = spawn(join(root, "node_modules/.bin/turbo"), ["run", "build", ...filters], {
    cwd: root,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const slow = setTimeout(() => console.error("Building …"), patienceMs);
  /** @type {Buffer[]} */
  const output = [];
  for (const stream of [turbo.stdout, turbo.stderr]) stream.on("data", (chunk) => output.push(chunk));
  return new Promise((resolve, reject) => {
    turbo.on("error", reject);
    turbo.on("close", (code) => {
      clearTimeout(slow);
      // The output says something new only if the build has failed.
      if (code !== 0) process.stderr.write(Buffer.concat(output));
      resolve(code ?? 1);
    });
  });
}

if (lastStamp() !== stamp({ built: true })) {
  rmSync(stampFile, { force: true });
  const sources = stamp({ built: false });
  process.exitCode = await build();
  // A file that was changed during the build may not be in it: the next start builds again.
  if (process.exitCode === 0 && stamp({ built: false }) === sources) {
    mkdirSync(dirname(stampFile), { recursive: true });
    writeFileSync(stampFile, stamp({ built: true }));
  }
}
