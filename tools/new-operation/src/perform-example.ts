import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { planOperation } from "./plan.ts";
import { copyWorkspace } from "./workspace-copy.ts";

// Performs docs/extending.md in a copy of this workspace: adds the operation, sees what is not written yet fail, writes it with its
// field, calls it, and runs every gate whose result an operation can change.
const root = fileURLToPath(new URL("../../..", import.meta.url));
const examples = join(root, "docs/extending");
const copy = copyWorkspace(root);
const { files } = planOperation(copy.folder, { service: "ItemService", method: "ListItems" });

type Step = readonly [name: string, run: () => void];
const pnpm = (script: string): Step => [`pnpm ${script}`, () => copy.run(`pnpm ${script}`)];
// On one engine: an operation adds nothing to a storage.
const vitest = (tests: string): Step => pnpm(`exec vitest run --project !postgres ${tests}`);
const mustFail = (script: string, named: readonly string[]): Step => [
  `pnpm ${script}: fails`,
  () => copy.runToFail(`pnpm ${script}`, named),
];

const steps: readonly Step[] = [
  pnpm("install --prefer-offline --frozen-lockfile"),

  pnpm("new operation ItemService.ListItems"),
  mustFail("exec vitest run unfinished domain/list-items", [
    "FAIL  |shared| packages/server/src/domain/list-items.test.ts",
    ...files.map(({ path }) => path),
  ]),
  mustFail("contract lint", ["proto/platform/v1/item_service.proto"]),

  ["write the operation", () => cpSync(join(examples, "list-items"), copy.folder, { recursive: true })],
  ["write the field", () => copy.run("git apply docs/extending/list-items-of-a-kind.patch")],
  pnpm("generate"),
  pnpm("packages --write"),
  vitest("list-items unfinished error-reasons client/src/contract.test render/documents"),
  // Calls the operation with requests that are generated from its OpenAPI document.
  vitest("api-docs/conformance --testNamePattern ItemService/ListItems"),
  ...["types --filter=./packages/* --filter=./apps/*", "lint", "contract", "reference"].map(pnpm),
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
