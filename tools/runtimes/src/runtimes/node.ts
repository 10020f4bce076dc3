import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundle } from "../bundle.ts";
import { installed } from "../installed.ts";
import type { RuntimeUnderTest } from "../runtime-under-test.ts";

const packages = fileURLToPath(new URL("../../node_modules", import.meta.url));

/** The maintained versions of Node. 24 is the workspace's own; the others are packages for Linux on x64 only. */
export const nodes: readonly RuntimeUnderTest[] = [22, 24, 26].flatMap((version) => [
  node(version, "ES modules", "esm"),
  node(version, "CommonJS", "cjs"),
]);

function node(version: number, modules: string, format: "esm" | "cjs"): RuntimeUnderTest {
  const own = process.versions.node.startsWith(`${version}.`);
  const packaged = fileURLToPath(new URL(`../../../nodes/node_modules/node-${version}/bin/node`, import.meta.url));
  const executable = own ? process.execPath : packaged;
  return {
    ...installed(`Node ${version}, ${modules}`, executable, "its package is for Linux on x64"),
    userAgent: `Node.js/${version}`,
    takesRedirectError: true,
    async run(environment) {
      const folder = mkdtempSync(join(tmpdir(), "node-"));
      try {
        // Node resolves the installed @platform-rpc/client itself.
        symlinkSync(packages, join(folder, "node_modules"));
        const file = join(folder, format === "esm" ? "program.mjs" : "program.cjs");
        writeFileSync(file, await bundle('import "./node.ts"', { format, platform: "node", packages: "external" }));
        const input = await environment.newInput();
        const env = { PROGRAM_INPUT: JSON.stringify(input) };
        const { stdout, stderr } = await promisify(execFile)(executable, [file], { env });
        // The last line is the result.
        const printed = stdout.slice(0, stdout.lastIndexOf("\n"));
        return { input, result: JSON.parse(stdout.slice(printed.length)), printed: printed + stderr };
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  };
}
