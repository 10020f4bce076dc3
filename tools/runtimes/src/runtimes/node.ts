import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundle } from "../bundle.ts";
import { installed } from "../installed.ts";
import type { RuntimeUnderTest } from "../runtime-under-test.ts";

// Beside node_modules: @platform/client is loaded as it is installed, by Node's own resolution.
const dist = fileURLToPath(new URL("../../dist", import.meta.url));

/** The Nodes that are maintained. 24 is the workspace's own; the others are packages for Linux on x64 alone. */
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
    async run(world) {
      const file = `${dist}/node-${version}.${format === "esm" ? "mjs" : "cjs"}`;
      mkdirSync(dist, { recursive: true });
      writeFileSync(file, await bundle('import "./node.ts"', { format, platform: "node", packages: "external" }));
      const plot = await world.newPlot();
      const { stdout, stderr } = await promisify(execFile)(executable, [file], { env: { PLOT: JSON.stringify(plot) } });
      // Its last line is what it tells.
      const printed = stdout.slice(0, stdout.lastIndexOf("\n"));
      return { plot, told: JSON.parse(stdout.slice(printed.length)), printed: printed + stderr };
    },
  };
}
