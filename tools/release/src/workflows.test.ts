import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { run } from "./run.ts";
import { root } from "./workspace.ts";

type Texts = Readonly<Record<string, string>>;

interface Job {
  readonly steps: readonly { readonly run?: string; readonly with?: Texts; readonly env?: Texts }[];
  readonly permissions: Texts;
}

const jobsOf = (path: string): Readonly<Record<string, Job>> => parse(readFileSync(join(root, path), "utf8")).jobs;

it.each(globSync(".github/workflows/*.yml", { cwd: root }))(
  "%s uses the workspace's Node and the locked pnpm, and no pnpm where it may write",
  (path) => {
    const { nodeVersion } = parse(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8"));
    for (const { steps, permissions } of Object.values(jobsOf(path))) {
      for (const { with: { "node-version": version = nodeVersion } = {} } of steps) expect(version).toBe(nodeVersion);
      const forbidden = Object.values(permissions).includes("write") ? /\b(npx|pnpm)\b/ : /\bnpx\b/;
      expect(steps.map(({ run: script }) => script).join("\n")).not.toMatch(forbidden);
    }
  },
);

/** A clone, its remote, a patch that writes one file, and a `gh` that does nothing. */
const fixture = `
export PATH="$PWD:$PATH" RUNNER_TEMP="$PWD" GITHUB_REF_NAME=main
printf '#!/bin/sh\\necho 1\\n' > gh && chmod +x gh
git init -q --bare remote && git init -q -b main clone && cd clone && git remote add origin ../remote
git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m first
mkdir -p "$(dirname "$CHANGED")" && echo changed > "$CHANGED" && git add --all
git diff --cached --binary > ../version.patch && git reset -q --hard
`;

it.each([
  ["packages/client/package.json", true],
  [".changeset/names.md", true],
  ["tools/contract/released/release.json", true],
  [".github/workflows/release.yml", false],
  ["package.json", false],
  ["packages/client/src/CHANGELOG.md", false],
])("the version pull request may change %s: %s", async (path, allowed) => {
  using folder = createTemporaryFolder("workflows");
  const { "version-pull-request": job } = jobsOf(".github/workflows/release.yml");
  const step = job?.steps.find(({ run: script }) => script !== undefined);
  const options = { cwd: folder.path, env: { ...step?.env, CHANGED: path } };
  const { ok, output } = await run("bash", ["-e", "-c", fixture + step?.run], options);
  const pushed = await run("git", ["-C", "remote", "rev-parse", "next-release/main"], options);
  expect([ok, pushed.ok], output).toEqual([allowed, allowed]);
});
