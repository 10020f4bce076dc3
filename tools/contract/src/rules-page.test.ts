import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { changeRules } from "./compare/change-rules.ts";
import { rules } from "./lint/lint.ts";
import { rulesPage, rulesPageFile } from "./rules-page.ts";
import { workspaceRoot } from "./testing/contract-copy.ts";

it("docs/contract-rules.md matches the rules (if not, run `pnpm generate`)", () => {
  expect(readFileSync(join(workspaceRoot, rulesPageFile), "utf8")).toBe(rulesPage());
});

it("every rule has a unique id, and a purpose and a fix in whole sentences", () => {
  const ids = [...rules.map(({ id }) => id), ...Object.keys(changeRules)];
  expect(new Set(ids).size).toBe(ids.length);
  for (const text of [
    ...rules.flatMap(({ purpose, fix }) => [purpose, fix]),
    ...Object.values(changeRules).flatMap(({ effect, advice }) => [effect, advice]),
  ]) {
    expect(text).toMatch(/^[A-Za-z`].{20,}\.$/s);
  }
});

it("the advice for every breaking change is to keep what exists or to use platform.v2", () => {
  const breaking = Object.values(changeRules).filter(({ kind }) => kind === "breaking");
  for (const { advice } of breaking) expect(advice).toMatch(/platform\.v2|Keep the /);
});
