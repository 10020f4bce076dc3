import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("../../../.ci/run", import.meta.url));
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

/** Runs a copy of .ci/run with an npx that records its environment and the files in its home and temporary folder. */
function run(given: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(folder, "home-"));
  const temporary = mkdtempSync(join(folder, "tmp-"));
  const seen = join(home, "seen");
  const npx = `#!/bin/bash\nenv > '${seen}'\nls -A "$HOME" "$TMPDIR" "$XDG_DATA_HOME" > '${seen}-files'\necho "3 passed, 0 failed"\n`;
  cpSync(program, join(home, "workspace/.ci/run"));
  mkdirSync(join(home, "workspace/tools"));
  writeFileSync(join(home, "workspace/tools/first-visit.mjs"), 'console.log("visited");');
  mkdirSync(join(home, "bin"));
  mkdirSync(join(home, ".local/share/pnpm/store"), { recursive: true });
  writeFileSync(join(home, "bin/npx"), npx, { mode: 0o755 });
  writeFileSync(join(home, ".npmrc"), "");
  const PATH = `${join(home, "bin")}:${inherited}`;
  const env = { ...given, PATH, HOME: home, TMPDIR: temporary, ...programs };
  const output = execFileSync("bash", [join(home, "workspace/.ci/run")], { env, encoding: "utf8" });
  const lines = readFileSync(seen, "utf8").trimEnd().split("\n");
  const environment = new Map(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  return { home, temporary, output, environment, files: readFileSync(`${seen}-files`, "utf8") };
}

describe(".ci/run starts every gate in a bare environment", () => {
  const { home, temporary, output, environment, files } = run({
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

  it("begins with the commands of the README, which count as one gate, and ends with the tally", () => {
    expect(output).toMatch(/^visited\n(.*\n)*4 passed, 0 failed\n$/);
  });
});
