import { afterAll, beforeAll, describe, expect } from "vitest";
import { clientSuite } from "./client-suite.ts";
import type { Run } from "./runtime-under-test.ts";
import { bundlePage, chromiumUnderTest } from "./runtimes/chromium.ts";
import { nodes } from "./runtimes/node.ts";
import { workerdUnderTest } from "./runtimes/workerd.ts";
import { startWorld, type World } from "./world.ts";

const runtimes = [...nodes, workerdUnderTest, chromiumUnderTest];
const runs = new Map<object, Promise<Run>>();
let world: World;

beforeAll(async () => {
  world = await startWorld(await bundlePage());
  // Side by side, because most of a run is waiting. Each suite hears of its own run's failure.
  for (const runtime of runtimes.filter(({ skip }) => !skip)) {
    const run = runtime.run(world);
    run.catch(() => undefined);
    runs.set(runtime, run);
  }
});
afterAll(async () => {
  await Promise.allSettled(runs.values());
  await world.end();
});

for (const runtime of runtimes) {
  describe.skipIf(runtime.skip)(runtime.title, () => {
    clientSuite(
      runtime,
      () => world,
      async () => (await runs.get(runtime)) ?? expect.unreachable("it has not run"),
    );
  });
}
