import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// Performs docs/extending.md in a copy of this workspace: adds the operation, sees it fail, writes it, and runs the gates.
const root = fileURLToPath(new URL("../../..", import.meta.url));
const examples = join(root, "docs/extending");
const copy = mkdtempSync(join(tmpdir(), "extending-"));

try {
  step("copy the workspace", copyWorkspace);
  step("install", () => pnpm("install", "--offline", "--frozen-lockfile"));
  step("build", () => pnpm("build"));
  step("scaffold", () => pnpm("new", "operation", "ItemService.ListItems"));
  step("see the scaffolded rule fail", () =>
    mustFail("exec", "vitest", "run", "packages/server/src/domain/list-items.test.ts"),
  );
  step("see the scaffolded contract fail", () => mustFail("contract", "lint"));
  step("write the operation", () => cpSync(join(examples, "list-items"), copy, { recursive: true }));
  step("generate", () => pnpm("generate"));
  step("record the API", () => pnpm("packages", "--write"));
  for (const gate of ["types", "lint", "contract", "reference"]) step(gate, () => pnpm(gate));
  step("generate --check", () => pnpm("generate", "--check"));
  step("test", runTests);
  step("write the field", () => cpSync(join(examples, "list-items-of-a-kind"), copy, { recursive: true }));
  step("generate", () => pnpm("generate"));
  step("contract", () => pnpm("contract"));
  step("types", () => pnpm("types"));
  step("test", runTests);
} finally {
  rmSync(copy, { recursive: true });
}

function runTests(): void {
  pnpm(
    "exec",
    "vitest",
    "run",
    "list-items",
    "packages/server/src/wire/error-reasons.test.ts",
    "packages/client/src/contract.test.ts",
  );
}

function copyWorkspace(): void {
  const options = { cwd: root, encoding: "utf8" } as const;
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], options);
  for (const file of files.split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  execFileSync("git", ["init", "--quiet"], { cwd: copy });
}

function step(name: string, run: () => void): void {
  const startedAt = performance.now();
  run();
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${name}`);
}

function pnpm(...args: readonly string[]): void {
  const { status, output } = run(args);
  if (status !== 0) throw new Error(`pnpm ${args.join(" ")} failed in the copy:\n${output}`);
}

function mustFail(...args: readonly string[]): void {
  if (run(args).status === 0)
    throw new Error(`pnpm ${args.join(" ")} passed in the copy, but must fail until the operation is written.`);
}

function run(args: readonly string[]): { readonly status: number | null; readonly output: string } {
  const { error, status, stdout, stderr } = spawnSync("pnpm", args, {
    cwd: copy,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw error;
  return { status, output: `${stdout}${stderr}` };
}
