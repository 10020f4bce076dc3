import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "./workspace.ts";

interface Step {
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly steps: readonly Step[];
  readonly permissions: Readonly<Record<string, string>>;
}

const jobsOf = (path: string): Readonly<Record<string, Job>> => parse(readFileSync(join(root, path), "utf8")).jobs;

it.each(
  globSync(".github/workflows/*.yml", { cwd: root }).flatMap((path) =>
    Object.entries(jobsOf(path)).map(([name, job]) => ({ name: `${path}: ${name}`, ...job })),
  ),
)("$name uses the workspace's Node and the locked pnpm, and may write only if it runs neither", (job) => {
  const { nodeVersion } = parse(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8"));
  for (const { with: { "node-version": version = nodeVersion } = {} } of job.steps) expect(version).toBe(nodeVersion);
  const scripts = job.steps.map(({ run: script }) => script).join("\n");
  expect(scripts).not.toContain("npx");
  if (Object.values(job.permissions).includes("write")) expect(scripts).not.toContain("pnpm");
});
