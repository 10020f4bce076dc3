import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("../../../.ci/run", import.meta.url));
const tally = fileURLToPath(new URL("../../tally.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "ci-run-"));
const { PATH: inherited } = process.env;
/** So that no program is installed. */
const programs = {
  CHROMIUM_PATH: process.execPath,
  HAPROXY_PATH: process.execPath,
  PGBOUNCER_PATH: process.execPath,
  PROMTOOL_PATH: process.execPath,
};
afterAll(() => rmSync(folder, { recursive: true }));

/** What the gates of turbo and the tests of vitest leave. */
const task = (name: string, exitCode?: number) => ({
  task: name,
  command: "…",
  execution: exitCode === undefined ? undefined : { exitCode },
});
const allPass = { tasks: [task("build", 0), task("types", 0), task("types", 0), task("lint", 0)] };
const passing = { code: 0, summary: allPass, tests: { numPassedTests: 7, numFailedTests: 0 } };

/** Runs a copy of .ci/run with an npx that records its environment and the files in its home and temporary folder. */
function run(given: Readonly<Record<string, string>>, { code, summary, tests }: Partial<typeof passing> = passing) {
  const home = mkdtempSync(join(folder, "home-"));
  const temporary = mkdtempSync(join(folder, "tmp-"));
  const seen = join(home, "seen");
  const npx = `#!/bin/bash
env > '${seen}'
ls -A "$HOME" "$TMPDIR" "$XDG_DATA_HOME" > '${seen}-files'
mkdir -p .turbo/runs node_modules/.vitest
${summary ? `echo '${JSON.stringify(summary)}' > .turbo/runs/id.json` : ""}
${tests ? `echo '${JSON.stringify(tests)}' > node_modules/.vitest/report.json` : ""}
exit ${code ?? 0}
`;
  cpSync(program, join(home, "workspace/.ci/run"));
  cpSync(tally, join(home, "workspace/tools/tally.mjs"));
  writeFileSync(join(home, "workspace/tools/first-visit.mjs"), 'console.log("visited");');
  mkdirSync(join(home, "bin"));
  mkdirSync(join(home, ".local/share/pnpm/store"), { recursive: true });
  writeFileSync(join(home, "bin/npx"), npx, { mode: 0o755 });
  writeFileSync(join(home, ".npmrc"), "");
  const PATH = `${join(home, "bin")}:${inherited}`;
  const env = { ...given, PATH, HOME: home, TMPDIR: temporary, ...programs };
  const { stdout: output, status } = spawnSync("bash", [join(home, "workspace/.ci/run")], { env, encoding: "utf8" });
  const lines = readFileSync(seen, "utf8").trimEnd().split("\n");
  const environment = new Map(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  return { home, temporary, output, status, environment, files: readFileSync(`${seen}-files`, "utf8") };
}

describe(".ci/run starts every gate in a bare environment", () => {
  const { home, temporary, output, status, environment, files } = run({
    GITHUB_TOKEN: "secret",
    NODE_OPTIONS: "--no-warnings",
    XDG_CACHE_HOME: "/var/cache",
    HTTPS_PROXY: "http://proxy.example:3128",
  });

  it("passes only PATH, CI, and the variables that npm and the programs of tests need", () => {
    const shells = ["PWD", "OLDPWD", "SHLVL", "_"];
    expect([...environment.keys()].filter((name) => !shells.includes(name)).sort()).toEqual([
      "CHROMIUM_PATH",
      "CI",
      "DO_NOT_TRACK",
      "HAPROXY_PATH",
      "HOME",
      "HTTPS_PROXY",
      "NO_COLOR",
      "NPM_CONFIG_USERCONFIG",
      "PATH",
      "PGBOUNCER_PATH",
      "PROMTOOL_PATH",
      "TMPDIR",
      "TURBO_TELEMETRY_DISABLED",
      "XDG_CACHE_HOME",
      "XDG_CONFIG_HOME",
      "XDG_DATA_HOME",
      "XDG_STATE_HOME",
      "pnpm_config_store_dir",
    ]);
  });

  it("uses the user's .npmrc and pnpm's store", () => {
    expect(environment.get("NPM_CONFIG_USERCONFIG")).toBe(join(home, ".npmrc"));
    expect(environment.get("pnpm_config_store_dir")).toBe(join(home, ".local/share/pnpm/store"));
  });

  it("creates empty folders, and removes them", () => {
    const folders = ["HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];
    const paths = folders.map((name) => environment.get(name) ?? "");
    expect(new Set(paths).size).toBe(folders.length);
    expect(paths.filter((path) => !path.startsWith(`${temporary}/`))).toEqual([]);
    expect(files.split("\n").filter((line) => line !== "" && !line.endsWith(":"))).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("begins with the commands of the README, and ends with the tally: the tests, each gate, and the README", () => {
    expect(output).toBe("visited\npassed  pnpm types\npassed  pnpm lint\n10 passed, 0 failed\n");
    expect(status).toBe(0);
  });
});

describe("the tally of .ci/run", () => {
  const lintFails = { tasks: [task("types", 0), task("lint", 1)] };
  // The build of another package failed, so turbo did not run the task.
  const typesIncomplete = { tasks: [task("types", 0), task("types"), task("lint", 0)] };
  it.each([
    ["a gate failed", { ...passing, summary: lintFails }, "9 passed, 1 failed"],
    ["a package was not checked", { ...passing, summary: typesIncomplete }, "9 passed, 1 failed"],
    ["turbo did not start", { code: 0, tests: passing.tests }, "8 passed, 1 failed"],
    [
      "two tests failed",
      { ...passing, code: 1, tests: { numPassedTests: 5, numFailedTests: 2 } },
      "8 passed, 2 failed",
    ],
    ["a test file was not loaded", { ...passing, code: 1 }, "10 passed, 1 failed"],
    ["no test ran", { ...passing, tests: { numPassedTests: 0, numFailedTests: 0 } }, "3 passed, 1 failed"],
    ["there is no report of tests", { code: 1, summary: allPass }, "3 passed, 1 failed"],
  ])("counts a failure if %s", (_case, left, last) => {
    const { output, status } = run({}, left);
    expect(output.trimEnd().split("\n").at(-1)).toBe(last);
    expect(status).toBe(1);
  });
});

it("CONTRIBUTING.md lists every gate, and no other", () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  const { scripts } = JSON.parse(read("package.json"));
  const [, gates = ""] = /turbo run ([^-]+) --/.exec(scripts.gates) ?? [];
  const [, table = ""] = /\| gate \|.*\n(?:\|-.*\n)((?:\|.*\n)+)/.exec(read("CONTRIBUTING.md")) ?? [];
  const listed = [...table.matchAll(/^\| `pnpm (.*?)` \|/gm)].map(([, script]) => script);
  expect(listed.sort()).toEqual([...gates.split(" "), "test"].sort());
});
