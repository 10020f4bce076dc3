import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { installedChromium } from "../files.ts";

const slowest = 20;

/** Prints at the end of a run why tests were skipped, and which files were the slowest. */
export const reportRun: Reporter = {
  onTestRunEnd(modules) {
    if (modules.length === 0) return;
    const lines = [...skippedTests(modules), ...slowFiles(modules)];
    if (lines.length > 0) console.log(`${lines.join("\n")}\n`);
  },
};

/** Returns a line for each reason. The title of a skipped test, or of a suite that contains it, names the reason. */
function skippedTests(modules: readonly TestModule[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const module of modules) {
    const inBrowser = module.moduleId.includes("-in-browser.") ? installedChromium.note : "";
    for (const test of module.children.allTests("skipped")) {
      const [, reason = test.fullName] =
        /\((\S+ is missing: [^()]*|not over [^()]*)\)/.exec(test.fullName + inBrowser) ?? [];
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
  }
  return [...counts].map(([reason, count]) => ` Skipped ${count === 1 ? "1 test" : `${count} tests`}: ${reason}`);
}

/** Returns a line for each of the slowest files: its seconds, imports and hooks included. */
function slowFiles(modules: readonly TestModule[]): readonly string[] {
  if (modules.length <= slowest) return [];
  const files = modules.map((module) => {
    const { collectDuration, duration } = module.diagnostic();
    return { path: relative(module.project.config.root, module.moduleId), ms: collectDuration + duration };
  });
  const slow = files.sort((one, other) => other.ms - one.ms).slice(0, slowest);
  return [
    "",
    ` The ${slowest} slowest files:`,
    ...slow.map(({ path, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${path}`),
  ];
}
