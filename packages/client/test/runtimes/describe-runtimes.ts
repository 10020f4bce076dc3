import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { suites } from "./run-suite.js";
import type { Run, Runtime } from "./runtimes.js";
import { type StartedEnvironment, type StartedPlatform, startEnvironment } from "./start-environment.js";
import { entries } from "./suite.js";
import { titlesOf } from "./test-runner.js";

/** Runs the suites of each runtime against a platform, and reports every test of every runtime. */
export function describeRuntimes(
  runtimes: readonly Runtime[],
  startPlatform: (pageOrigin: string) => Promise<StartedPlatform>,
): void {
  const installed = runtimes.filter(({ skip }) => !skip);
  const runs = new Map<Runtime, Promise<Run>>();
  let environment: StartedEnvironment;
  beforeAll(async () => {
    environment = await startEnvironment(startPlatform);
    // In parallel, because a run mostly waits. Each runtime reports its failures itself.
    for (const runtime of installed) {
      const run = runtime.run(environment);
      run.catch(() => undefined);
      runs.set(runtime, run);
    }
  });
  afterAll(async () => {
    await Promise.allSettled(runs.values());
    await environment.stop();
  });

  for (const runtime of runtimes) {
    describe.skipIf(runtime.skip)(runtime.title, () => {
      let run: Run;
      beforeAll(async () => {
        run = (await runs.get(runtime)) ?? expect.unreachable("the runtime did not run");
      });

      it.each(runtime.suites.flatMap((name) => titlesOf(suites[name])))("%s", (title) => {
        expect(run.results[title]).toBe("passed");
      });

      it("printed sessions and errors contain no token and no code", () => {
        for (const entry of Object.keys(entries)) expect(run.printed).toContain(`logged in by ${entry}`);
        expect(run.printed).toContain("VERSION_CONFLICT");
        expect(run.printed).not.toMatch(/eyJ|pdc_/);
      });

      if (runtime.suites.includes("foreignPage")) {
        it("no requested URL and no page's console contains a token or a code", () => {
          expect(run.printed).toContain("NETWORK_ERROR");
          expect(run.urls.length).toBeGreaterThan(10);
          expect(run.urls.filter((url) => /eyJ|pdc_/.test(url))).toEqual([]);
        });
      }
    });
  }
}
