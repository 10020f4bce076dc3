import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const programs = [
  ["the platform app", "apps/platform", "The platform needs Node 24 or newer, and this is Node"],
  ["platform", "packages/cli", "platform needs Node 22.12 or newer, and this is Node"],
  ["platform-mcp", "packages/mcp", "platform-mcp needs Node 22.12 or newer, and this is Node"],
] as const;
const mainOf = (folder: string) => new URL(`../../../${folder}/dist/main.js`, import.meta.url);

/** Runs a built program that sees another version of Node, or another system. */
async function run(folder: string, seen: { readonly node?: string; readonly platform?: string }) {
  const { node = process.versions.node, platform = process.platform } = seen;
  const fake = `const define = (name, value) => Object.defineProperty(process, name, { value });
    define("versions", { ...process.versions, node: "${node}" }); define("platform", "${platform}");`;
  const words = ["--import", `data:text/javascript,${encodeURIComponent(fake)}`, mainOf(folder).pathname];
  return promisify(execFile)(process.execPath, words).then(
    () => ({ code: 0, stdout: "", stderr: "" }),
    ({ code, stdout, stderr }: { readonly code: number; readonly stdout: string; readonly stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );
}

describe.each(programs)("%s, on a Node that it does not support", (_, folder, message) => {
  it("ends with exit code 1 and one sentence of what to do", async () => {
    expect(await run(folder, { node: "20.20.2" })).toEqual({
      code: 1,
      stdout: "",
      stderr: `${message} 20.20.2. Install a newer one from https://nodejs.org.\n`,
    });
  });

  it("checks in files that old versions can load, before it imports anything else", () => {
    const names = ["main.js"];
    for (const name of names) {
      const file = readFileSync(new URL(name, mainOf(folder)), "utf8");
      expect(file).not.toMatch(/\bawait using\b|\bstatic \{|\?\?=/);
      const imported = [...file.matchAll(/^(?:import|export)\b[^"'()]*["']([^"']+)["']/gm)].map(
        ([, path = ""]) => path,
      );
      names.push(...imported.filter((path) => path.startsWith("./")));
      expect(imported.filter((path) => !path.startsWith("./") && path !== "node:module")).toEqual([]);
    }
    expect(names.length).toBeLessThan(3);
  });
});

it("the platform app ends on Node 22 before anything that needs 24, and on Windows", async () => {
  expect((await run("apps/platform", { node: "22.23.3" })).stderr).toMatch(/^The platform needs Node 24 .*\.\n$/);
  expect(await run("apps/platform", { platform: "win32" })).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "The platform does not run on Windows, which has no Unix file permissions and signals. Run it in WSL or in a container.\n",
  });
});
