import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyDiff, readPage, type Step } from "./read-page.ts";
import { copyWorkspace } from "./workspace-copy.ts";

// Carries out docs/extending.md in a copy of this workspace, block by block.
const root = fileURLToPath(new URL("../../..", import.meta.url));
const steps = readPage(readFileSync(join(root, "docs/extending.md"), "utf8"));
const copy = copyWorkspace(root);

function perform(step: Step): string {
  switch (step.kind) {
    case "run":
      copy.run(step.command);
      return step.command;
    case "fail":
      copy.runToFail(step.command, step.output);
      return `${step.command}: fails`;
    case "write": {
      const file = join(copy.folder, step.path);
      if (existsSync(file)) throw new Error(`${step.path} exists. Show an edit of it as a diff.`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, step.code);
      return `write ${step.path}`;
    }
    case "edit": {
      const file = join(copy.folder, step.path);
      writeFileSync(file, applyDiff(readFileSync(file, "utf8"), step.diff));
      return `edit ${step.path}`;
    }
  }
}

try {
  const install = { kind: "run", command: "pnpm install --prefer-offline --frozen-lockfile" } as const;
  for (const step of [install, ...steps]) {
    const startedAt = performance.now();
    const done = perform(step);
    console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${done}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  copy.remove();
}
