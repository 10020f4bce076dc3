import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { planOperation } from "./plan.ts";
import { copyWorkspace } from "./workspace-copy.ts";

// Performs docs/extending.md in a copy of this workspace: adds the operation, sees what is not written yet fail, writes it,
// calls it, adds the field, and runs every gate. The gates run once, at the end, over the operation and its field.
const root = fileURLToPath(new URL("../../..", import.meta.url));
const examples = join(root, "docs/extending");
const copy = copyWorkspace(root);
const { files } = planOperation(copy.folder, { service: "ItemService", method: "ListItems" });

type Step = readonly [name: string, run: () => void];
const pnpm = (script: string): Step => [`pnpm ${script}`, () => copy.run(`pnpm ${script}`)];
const vitest = (tests: string): Step => pnpm(`exec vitest run ${tests}`);
const mustFail = (script: string, named: readonly string[]): Step => [
  `pnpm ${script}: fails`,
  () => copy.runToFail(`pnpm ${script}`, named),
];

const steps: readonly Step[] = [
  pnpm("install --prefer-offline --frozen-lockfile"),

  pnpm("new operation ItemService.ListItems"),
  mustFail(
    "exec vitest run unfinished",
    files.map(({ path }) => path),
  ),
  mustFail("exec vitest run domain/list-items", ["packages/server/src/domain/list-items.ts"]),
  mustFail("contract lint", ["proto/platform/v1/item_service.proto"]),
  ["write the operation", () => cpSync(join(examples, "list-items"), copy.folder, { recursive: true })],
  pnpm("generate"),
  // Without declarations, which take most of the time of a build: the tests need none, and the next build writes them.
  pnpm("build -- --no-dts"),
  vitest("list-items"),

  ["write the field", () => copy.run("git apply docs/extending/list-items-of-a-kind.patch")],
  pnpm("generate"),
  pnpm("packages --write"),
  vitest("list-items unfinished error-reasons client/src/contract.test render/documents"),
  // Calls the operation with requests that are generated from its OpenAPI document.
  vitest("api-docs/conformance --testNamePattern ItemService/ListItems"),
  ...["types", "lint", "contract", "reference", "generate --check"].map(pnpm),
];

try {
  for (const [name, run] of steps) {
    const startedAt = performance.now();
    run();
    console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${name}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  copy.remove();
}
