import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "./workspace.ts";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly needs?: string | readonly string[];
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(root, ".github/workflows");
const workflows = readdirSync(folder).map((file) => {
  const text = readFileSync(join(folder, file), "utf8");
  const workflow: Workflow = parse(text);
  return { file, text, workflow };
});
const jobs = workflows.flatMap(({ file, workflow }) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ file, name, job })),
);
const manifest: { scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);

/** Returns whether a step runs code of this repository or of its dependencies. */
const runsCode = ({ run = "", uses = "" }: Step) =>
  /\b(?:npx|pnpm|yarn|node|corepack|make)\b|\bnpm (?:ci|install|i|run|exec|x|test|pack|rebuild)\b|\.\/(?!\$tarball)/.test(
    run,
  ) ||
  uses.startsWith("actions/checkout@") ||
  uses.startsWith("./");
const grants = ({ permissions = {} }: Job, permission: string) => permissions[permission] === "write";
const { publish, build } = workflows.find(({ file }) => file === "release.yml")?.workflow.jobs ?? {};

describe.each(workflows)("$file", ({ text, workflow }) => {
  it("pins every action to a commit, with its version in a comment", () => {
    const uses = text.match(/uses: .*/g) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    for (const one of uses) expect(one).toMatch(/^uses: [\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it("grants no permissions by default, and each job only the ones it lists", () => {
    expect(workflow.permissions).toEqual({});
    for (const { permissions } of Object.values(workflow.jobs)) expect(permissions).toBeInstanceOf(Object);
  });

  it("runs only scripts of the workspace, which developers can run too", () => {
    const own = ["install", "exec", "audit"];
    const used = [...text.matchAll(/npx -y pnpm@12(?:\.\d+\.\d+)? ([\w:]+)/g)].map(([, script = ""]) => script);
    expect(used.filter((script) => !own.includes(script) && !(script in manifest.scripts))).toEqual([]);
  });

  it("uses no secret except the token of its own run", () => {
    expect(text).not.toMatch(/secrets\.|NPM_TOKEN|NODE_AUTH_TOKEN/);
  });

  it("has no expressions in scripts, where their values would be executed", () => {
    for (const { steps } of Object.values(workflow.jobs))
      for (const { run = "" } of steps) expect(run).not.toContain("${{");
  });
});

describe("a job that can sign, or write to the repository, runs no installed or built code", () => {
  const powerful = jobs.filter(({ job }) => grants(job, "id-token") || grants(job, "contents"));

  it("there are such jobs", () => {
    expect(powerful.map(({ name }) => name)).toEqual(["version-pull-request", "publish", "attest", "github-release"]);
  });

  it.each(powerful)("$file: $name", ({ job }) => {
    // The version pull request needs a checkout to push from, but runs only git and gh.
    const checkout = grants(job, "contents") ? "actions/checkout@" : "none";
    const steps = job.steps.filter(({ uses = "" }) => !uses.startsWith(checkout));
    expect(steps.filter(runsCode)).toEqual([]);
  });

  it.each(powerful)("$file: $name cannot do both, and uses only actions of GitHub", ({ job }) => {
    expect(grants(job, "id-token") && grants(job, "contents")).toBe(false);
    for (const { uses = "actions/" } of job.steps) expect(uses).toMatch(/^actions\//);
  });

  it("the jobs that run such code are recognized", () => {
    expect(
      jobs.filter(({ job }) => job.steps.some(({ run = "" }) => runsCode({ run }))).map(({ name }) => name),
    ).toEqual(expect.arrayContaining(["check", "rehearse", "version", "prove", "build"]));
  });
});

describe("the job that publishes", () => {
  const scripts = (publish?.steps ?? []).flatMap(({ run = [] }) => run);

  it("may only sign, in an environment that requires approval", () => {
    expect(publish?.permissions).toEqual({ "id-token": "write" });
    expect(publish?.environment).toBe("npm");
  });

  it("downloads the tarballs of the build", () => {
    const download = publish?.steps.find(({ uses = "" }) => uses.startsWith("actions/download-artifact@"));
    expect(download?.with).toEqual({ name: "tarballs", path: "tarballs" });
    const uploads = build?.steps.filter(({ uses = "" }) => uses.startsWith("actions/upload-artifact@"));
    expect(uploads?.map((step) => step.with)).toContainEqual(
      expect.objectContaining({ name: "tarballs", path: "dist/release/packages/*.tgz" }),
    );
  });

  it("compares their hashes with those of the build, then publishes only its tarballs, with provenance", () => {
    const lines = scripts
      .join("")
      .split("\n")
      .map((line) => line.trim());
    const loop = "while read -r tarball version integrity; do";
    expect(lines.slice(0, 2)).toEqual(['sha256sum --check --strict <<< "$SHA256"', loop]);
    expect(lines.filter((line) => /\bnpm\b/.test(line))).toEqual([
      'npm publish "./$tarball" --access public --tag "$TAG" < /dev/null',
    ]);
    expect(publish?.steps.at(-1)?.env).toMatchObject({ NPM_CONFIG_PROVENANCE: "true" });
  });

  it("is the only job that publishes", () => {
    const others = jobs.filter(({ name }) => name !== "publish");
    for (const { job: other } of others)
      for (const { run = "" } of other.steps) expect(run).not.toMatch(/\b(?:npm|pnpm\S*) publish\b/);
  });
});

it("every job that runs the tests first installs the programs that they need, as .ci/run does", () => {
  const testing = jobs.filter(({ job }) => job.steps.some(({ run = "" }) => / check$/.test(run)));
  expect(testing.map(({ file, name }) => `${file} ${name}`)).toEqual(["check.yml check", "release.yml prove"]);
  for (const { job } of testing) {
    const commands = job.steps.flatMap(({ run = [] }) => run);
    expect(commands.at(commands.findIndex((run) => / check$/.test(run)) - 1)).toBe("bash .ci/programs");
  }
  expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("\nbash .ci/programs ");
});

it("the job that builds can only read", () => {
  expect(build?.permissions).toEqual({ contents: "read" });
});
