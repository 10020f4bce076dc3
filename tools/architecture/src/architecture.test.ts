import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { cruise, type ICruiseOptions, type IFlattenedRuleSet } from "dependency-cruiser";
import { describe, expect, it, onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const { options, ...ruleSet }: IFlattenedRuleSet & { readonly options: ICruiseOptions } = createRequire(
  import.meta.url,
)(join(root, ".dependency-cruiser.cjs"));

type Source = readonly [rule: string, path: string, source: string];

/** Creates a workspace with these files, and empty ones for the modules that they import. Returns its folder. */
function workspaceOf(sources: readonly Source[]): string {
  const workspace = mkdtempSync(join(tmpdir(), "architecture-"));
  onTestFinished(() => rmSync(workspace, { recursive: true }));
  const imported = sources.map(([, path, source]) => join(dirname(path), /"([.].+)[.]js"/.exec(source)?.[1] ?? "none"));
  const files = [...imported.map((path) => [`${path}.ts`, "export {};"]), ...sources.map(([, ...file]) => file)];
  for (const [path = "", source = ""] of files) {
    mkdirSync(join(workspace, dirname(path)), { recursive: true });
    writeFileSync(join(workspace, path), source);
  }
  return workspace;
}

const brokenRules = (sources: readonly Source[]) =>
  sources.flatMap(([rule, path]) => (rule === "none" ? [] : [`${path}: ${rule}`])).sort();

/** Returns the violations that dependency-cruiser finds, such as `packages/one/src/index.ts: no-circle`. */
async function violationsIn(baseDir: string, changed: ICruiseOptions): Promise<readonly string[]> {
  const folders = globSync("{apps,packages,tools}", { cwd: baseDir });
  const { output } = await cruise(folders, { ...options, ...changed, baseDir, validate: true });
  if (typeof output === "string") throw new TypeError("a result was expected");
  return output.summary.violations.map(({ from, rule }) => `${from}: ${rule.name}`).sort();
}

const server = "packages/server/src";
const client = "packages/client/src";
const accounts = "packages/private/accounts/src";

describe("pnpm lint", () => {
  const imports: readonly Source[] = [
    ["not-in-allowed", `${server}/domain/model/item.ts`, 'import type { Clock } from "../../ports/clock.js";'],
    ["not-in-allowed", `${server}/services/vault-service.ts`, 'import { limits } from "../http/limits.js";'],
    ["not-in-allowed", `${server}/platform.ts`, 'const late = await import("./storage/sqlite/migrate.js");'],
    ["not-in-allowed", `${server}/tokens/issuer.ts`, 'import { sign } from "jose-but-not-quite";'],
    ["no-values-of-node-http", `${server}/http/listener.ts`, 'import { createServer } from "node:http";'],
    ["not-in-allowed", `${client}/call/call.ts`, 'import { createCaller } from "../connect/connect-caller.js";'],
    ["not-in-allowed", "apps/platform/src/a.ts", 'import { f } from "../../../packages/server/src/http/send.js";'],
    ["only-what-is-published", "apps/reference/server.ts", 'import { startApp } from "@platform-rpc/testbed/app";'],
    ["only-what-is-published", "packages/server/examples/a.ts", 'import { handle } from "@platform-rpc/server/host";'],
    ["no-node-in-browsers", "apps/console/src/a.ts", 'import { readFileSync } from "node:fs";'],
    ["no-entry-for-node-in-browsers", "apps/console/src/b.ts", 'import "@platform-rpc/client/session-file";'],
    ["browsers-share-little-with-the-server", `${accounts}/browser/a.ts`, 'import { serve } from "../serve.js";'],
    ["no-generic-name", "apps/platform/src/b.ts", 'import { trim } from "./utils/text.js";'],
    ["no-circle", `${server}/audit/a.ts`, 'import type { B } from "./b.js"; export type A = B;'],
    ["none", `${server}/audit/b.ts`, 'import type { A } from "./a.js"; export type B = A[];'],
    ["none", `${server}/ports/clock.ts`, 'import type { Decision } from "../domain/model/decision.js";'],
    ["none", `${server}/domain/delete-item.test.ts`, 'import { migrate } from "../storage/sqlite/open.js";'],
  ];

  it("reports every import that no arrow of ARCHITECTURE.md allows, and no other", async () => {
    expect(await violationsIn(workspaceOf(imports), { ruleSet })).toEqual(brokenRules(imports));
  });

  const code: readonly Source[] = [
    ["noRestrictedGlobals", `${client}/wire/bytes.ts`, 'export const bytes = Buffer.from("text");'],
    ["noRestrictedGlobals", `${server}/domain/env.ts`, "export const { env } = process;"],
    ["noRestrictedGlobals", `${accounts}/browser/bytes.ts`, 'export const bytes = Buffer.from("text");'],
    ["noRestrictedGlobals", "apps/console/src/c.tsx", "export const { env } = process;"],
    ["plugin", "apps/platform/src/plugin.ts", 'export const plugin = await import(process.argv[2] ?? "");'],
    ["noReExportAll", "packages/types/src/index.ts", 'export * from "./gen/platform/v1/item_pb.js";'],
    ["noDefaultExport", `${client}/call/default.ts`, "export default 1;"],
    ["none", `${client}/session-file/file.ts`, "export const { pid } = process;"],
    ["none", `${server}/domain/env.test.ts`, "export const { env } = process;"],
  ];

  it("reports globals of Node where other runtimes run the code, computed imports, `export *` and default exports", () => {
    const workspace = workspaceOf(code);
    for (const name of ["biome.json", "tools/no-computed-import.grit"]) cpSync(join(root, name), join(workspace, name));
    const biome = join(root, "node_modules/.bin/biome");
    const args = ["lint", "--vcs-enabled=false", "--reporter=github", "."];
    const { stdout } = spawnSync(biome, args, { cwd: workspace, encoding: "utf8" });
    const findings = [...stdout.matchAll(/title=(?:\w+\/)*(\w+),file=(.*?),/g)];
    expect(findings.map(([, rule, file = ""]) => `${relative(workspace, file)}: ${rule}`).sort()).toEqual(
      brokenRules(code),
    );
  });
});

describe("the folders", () => {
  /** Tests, what only tests use, and generated code, which joins the folders of its entries. */
  const notSource =
    "[.]test[.]tsx?$|/(testing|fixtures|gen|dist)/|^(apps|packages|packages/private)/[^/]+/(test|examples)/";

  it("do not import each other in a circle", async () => {
    const circle = { name: "circle", severity: "error", scope: "folder", from: {}, to: { circular: true } } as const;
    const exclude = { path: [notSource, "^apps/handbook/pages/"] };
    expect(await violationsIn(root, { exclude, ruleSet: { forbidden: [circle] } })).toEqual([]);
  });

  it("have at most 26 files each", () => {
    const all = globSync("{apps,packages,packages/private,tools,tools/docs}/*/src/**/*.{ts,tsx}", { cwd: root });
    const folders = all.filter((path) => !new RegExp(notSource).test(path)).map(dirname);
    const crowded = [...new Set(folders)].filter((one) => folders.filter((folder) => folder === one).length > 26);
    expect(folders.length).toBeGreaterThan(1000);
    expect(crowded).toEqual([]);
  });
});
