import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { changedLines } from "./api-report.ts";
import { contractFiles } from "./contract-files.ts";
import { privateNamesIn } from "./private-names.ts";
import { publishedReport } from "./published-report.ts";
import { mustRun, run } from "./run.ts";
import { publishedPackages, requiredEntriesOf, root, type WorkspacePackage } from "./workspace.ts";

interface PackedPackage extends WorkspacePackage {
  readonly tarball: string;
  readonly unpacked: string;
}

/** Packs and unpacks a built package in a folder of `target`. Does not change the package's own folder. */
async function pack(packed: WorkspacePackage, target: string): Promise<PackedPackage> {
  const home = join(target, packed.manifest.name.replace("/", "-"));
  mkdirSync(home, { recursive: true });
  const tarball = join(home, "package.tgz");
  await mustRun("pnpm", ["pack", "--out", tarball], { cwd: packed.folder });
  await mustRun("tar", ["-xzf", tarball, "-C", home], { cwd: home });
  return { ...packed, tarball, unpacked: join(home, "package") };
}

interface Finding {
  readonly gate: string;
  readonly ok: boolean;
  readonly output: string;
}

const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const { PATH = "" } = process.env;
const tool = join(root, "tools/release");
const env = { PATH: [join(tool, "node_modules/.bin"), PATH].join(delimiter), NO_COLOR: "1", FORCE_COLOR: undefined };

async function program(gate: string, cwd: string, command: string, ...args: readonly string[]): Promise<Finding> {
  const { ok, output } = await run(command, args, { cwd, env });
  return { gate, ok, output };
}

/** Returns whether a package has entries that other programs import. The others are programs only, and have no types. */
function isImported({ exports = {} }: WorkspacePackage["manifest"]): boolean {
  return Object.keys(exports).some((path) => path !== "./package.json");
}

function checkPacked({ manifest, tarball, unpacked }: PackedPackage): readonly Promise<Finding>[] {
  const names = privateNamesIn(unpacked);
  const required = requiredEntriesOf(manifest);
  // It expects `require` to work for every entry.
  const excluded = Object.keys(manifest.exports ?? {}).filter((path) => !required.includes(path));
  const options = excluded.length === 0 ? [] : ["--exclude-entrypoints", ...excluded];
  return [
    program(`publint ${manifest.name}`, root, "publint", "run", tarball, "--strict"),
    ...(isImported(manifest)
      ? [program(`attw ${manifest.name}`, root, "attw", tarball, "--format", "ascii", ...options)]
      : []),
    Promise.resolve({ gate: `private names ${manifest.name}`, ok: names.length === 0, output: names.join("\n") }),
  ];
}

function checkContractFiles(packed: readonly PackedPackage[]): Finding {
  const unpacked = packed.find(({ manifest }) => manifest.name.endsWith("/types"))?.unpacked ?? "";
  const differing = [...contractFiles()].filter(([target, file]) => {
    const copy = join(unpacked, target);
    return !existsSync(copy) || readFileSync(copy, "utf8") !== readFileSync(join(root, file), "utf8");
  });
  const output = differing.map(([target, file]) => `${target} is missing or differs from ${file}.`).join("\n");
  return { gate: "contract files", ok: differing.length === 0, output };
}

async function checkApi(checked: WorkspacePackage): Promise<Finding> {
  const file = join(checked.folder, "api.md");
  const report = await publishedReport(checked);
  if (values.write) writeFileSync(file, report);
  const recorded = existsSync(file) ? readFileSync(file, "utf8") : "";
  const advice = `${relative(root, file)} differs from the package's API. If the change is intended, run \`pnpm packages --write\` and add a changeset.`;
  const output = [advice, ...changedLines(recorded, report)].join("\n");
  return { gate: `api ${checked.manifest.name}`, ok: recorded === report, output };
}

const folder = mkdtempSync(join(tmpdir(), "packages-"));
try {
  const published = publishedPackages(root);
  const others = async () => {
    const packed = await Promise.all(published.map((one) => pack(one, folder)));
    return Promise.all([
      ...packed.flatMap(checkPacked),
      checkContractFiles(packed),
      program("knip", root, "knip", "--no-progress"),
      program("size-limit", tool, "size-limit"),
    ]);
  };
  // Recording the API changes nothing that the others check.
  const found = await Promise.all([Promise.all(published.map(checkApi)), values.write ? [] : others()]);
  const findings = found.flat();
  for (const { gate, ok } of findings) console.log(`${ok ? "passed" : "FAILED"}  ${gate}`);
  for (const { gate, ok, output } of findings) if (!ok) console.error(`\n──── ${gate} ────\n${output}`);
  process.exitCode = findings.every(({ ok }) => ok) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
