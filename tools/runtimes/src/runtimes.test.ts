import { afterAll, beforeAll, describe, expect } from "vitest";
import { clientSuite } from "./client-suite.ts";
import { type Environment, startEnvironment } from "./environment.ts";
import type { Run } from "./runtime-under-test.ts";
import { bundlePage, chromiumUnderTest } from "./runtimes/chromium.ts";
import { nodes } from "./runtimes/node.ts";
import { workerdUnderTest } from "./runtimes/workerd.ts";

const runtimes = [...nodes, workerdUnderTest, chromiumUnderTest];
const runs = new Map<object, Promise<Run>>();
let environment: Environment;

beforeAll(async () => {
  environment = await startEnvironment(await bundlePage());
  // In parallel, because a run mostly waits. Each suite reports the failure of its own run.
  for (const runtime of runtimes.filter(({ skip }) => !skip)) {
    const run = runtime.run(environment);
    run.catch(() => undefined);
    runs.set(runtime, run);
  }
});
afterAll(async () => {
  await Promise.allSettled(runs.values());
  await environment.end();
});

for (const runtime of runtimes) {
  describe.skipIf(runtime.skip)(runtime.title, () => {
    clientSuite(
      runtime,
      () => environment,
      async () => (await runs.get(runtime)) ?? expect.unreachable("the program did not run"),
    );
  });
}
