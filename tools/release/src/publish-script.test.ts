import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { releaseOutputs } from "./pack-release.ts";
import { startRegistryServer } from "./testing/registry-server.ts";
import { root } from "./workspace.ts";

const workflow = parse(readFileSync(join(root, ".github/workflows/release.yml"), "utf8"));
const script: string = workflow.jobs.publish.steps.find(({ run }: { run?: string }) => run !== undefined).run;

const packed = mkdtempSync(join(tmpdir(), "packed-"));
afterAll(() => rmSync(packed, { recursive: true }));
const tarballs = ["types", "client"].map((name) => {
  const path = join(packed, `scope-${name}-1.0.0.tgz`);
  writeFileSync(path, `tarball of ${name}`);
  return { path, name: `@scope/${name}`, version: "1.0.0" };
});

const { PATH = "" } = process.env;

/** Parses the outputs of the step as GitHub does. */
function outputOf(name: string): string {
  return new RegExp(`^${name}<<END\\n(.*?)\\nEND$`, "ms").exec(releaseOutputs(tarballs))?.[1] ?? "";
}

/** Runs the script of the job `publish` with a fake npm that records its arguments. */
async function runScript({
  published = {},
  spoiled = false,
  rejected = "none",
}: {
  published?: Readonly<Record<string, object>>;
  spoiled?: boolean;
  /** The tarball that npm rejects. */
  rejected?: string;
}) {
  const folder = mkdtempSync(join(tmpdir(), "publish-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "tarballs"));
  writeFileSync(
    join(folder, "bin/npm"),
    `#!/bin/sh\necho "$@" >> "${folder}/npm.log"\ncat > /dev/null\n[ "$2" != "${rejected}" ]\n`,
  );
  chmodSync(join(folder, "bin/npm"), 0o755);
  for (const { path } of tarballs) {
    const target = join(folder, "tarballs", basename(path));
    writeFileSync(target, spoiled ? "spoiled" : readFileSync(path));
  }
  const child = spawn("bash", ["-e", "-c", script], {
    cwd: join(folder, "tarballs"),
    stdio: "ignore",
    env: {
      PATH: [join(folder, "bin"), PATH].join(delimiter),
      REGISTRY: await startRegistryServer(published),
      SHA256: outputOf("sha256"),
      TARBALLS: outputOf("tarballs"),
      TAG: "latest",
    },
  });
  const [code] = await once(child, "exit");
  const log = join(folder, "npm.log");
  return { code, npm: existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [] };
}

const publishing = (name: string) => `publish ./scope-${name}-1.0.0.tgz --access public --provenance --tag latest`;
const integrityOf = (name: string) =>
  outputOf("tarballs")
    .split("\n")
    .find((line) => line.startsWith(`scope-${name}-1.0.0.tgz `))
    ?.split(" ")[2];

it("publishes every tarball of the build, in the order of the build", async () => {
  expect(await runScript({})).toEqual({ code: 0, npm: [publishing("types"), publishing("client")] });
});

it("skips a tarball that was published by an earlier attempt", async () => {
  const published = { "/@scope%2ftypes/1.0.0": { dist: { integrity: integrityOf("types") } } };
  expect(await runScript({ published })).toEqual({ code: 0, npm: [publishing("client")] });
});

it("does not skip a version published with different bytes, so that npm rejects it", async () => {
  const published = { "/@scope%2ftypes/1.0.0": { dist: { integrity: integrityOf("client") } } };
  expect((await runScript({ published })).npm).toContain(publishing("types"));
});

it("publishes nothing when a tarball differs from the build's", async () => {
  expect(await runScript({ spoiled: true })).toEqual({ code: 1, npm: [] });
});

it("stops at the first tarball that npm rejects, so that no package is published without its dependencies", async () => {
  expect(await runScript({ rejected: "./scope-types-1.0.0.tgz" })).toEqual({ code: 1, npm: [publishing("types")] });
});
