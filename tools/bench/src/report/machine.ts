import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { pinned } from "../load/pinning.ts";
import { summarize } from "../measure/statistics.ts";
import { withDigits, withSpread } from "./format.ts";

/** The compared packages, whose versions are in the report. */
const packages = [
  "fastify",
  "hono",
  "@hono/node-server",
  "@connectrpc/connect",
  "@connectrpc/connect-node",
  "@bufbuild/protobuf",
  "pino",
];

/** The work of other programs on this machine, before a benchmark adds to it. */
const loadAtStart = loadavg()[0] ?? 0;

/** Describes this machine and the compared versions. Contains no name and no path of the machine. */
export function describeMachine(): string[][] {
  const versions = packages.map((name) => `${name} ${versionOf(name)}`);
  return [
    ["CPU", `${cpus()[0]?.model.trim() ?? "unknown"}, ${cpus().length} cores`],
    ["memory", `${(totalmem() / 2 ** 30).toFixed(0)} GiB`],
    // A vendor's suffix of the version may name the machine.
    ["system", `${type()} ${release().replace(/-.*/, "")}`],
    ["load average before the run", withDigits(loadAtStart, 1)],
    ["one write and fdatasync of 4 kB", `${withSpread(summarize(flushTimes()), 2)} ms`],
    ["measured processes", pinned ? "pinned to the first core" : "not pinned to a core"],
    ["Node", process.versions.node],
    ["packages", versions.join(", ")],
    ["date", new Date().toISOString().slice(0, 10)],
  ];
}

function versionOf(name: string): string {
  const { version } = JSON.parse(
    readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), "utf8"),
  );
  return String(version);
}

/** Returns the milliseconds of flushes to the disk with the databases of the benchmarks. */
function flushTimes(): number[] {
  const folder = createTemporaryFolder("bench");
  const file = openSync(join(folder.path, "flush"), "w");
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 200 }, (_, index) => {
    const startedAt = performance.now();
    writeSync(file, page, 0, page.length, index * page.length);
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  folder.remove();
  return times;
}
