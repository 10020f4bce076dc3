import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createListener, createSqliteStorage, jsonDocument } from "@platform-rpc/server";
import { startChromium } from "@platform-rpc/testbed/chromium";
import { it, vi } from "vitest";
import { chromium } from "./chromium.js";
import { describeRuntimes } from "./describe-runtimes.js";
import { nodes, workerd } from "./runtimes.js";
import { createTestPlatform } from "./test-platform.js";

describeRuntimes([...nodes, workerd, chromium], async (pageOrigin) => {
  const storage = createSqliteStorage({ path: ":memory:" });
  // The tests of a user call DeleteItem at most four times, except the test of the limit.
  const rates = { "platform.v1.VaultService/DeleteItem": { perMinute: 1, burst: 10 } };
  const { platform, ask } = await createTestPlatform({ storage, rates });
  const listener = createListener(platform, {
    logger: { info: () => {}, error: console.error },
    corsOrigins: [pageOrigin],
    documents: new Map([["/.well-known/jwks.json", () => jsonDocument(200, platform.keyRing.jwks())]]),
  });
  const { port } = await listener.listen(0, "127.0.0.1");
  const stop = () => listener.close(0).then(() => storage.close());
  return { baseUrl: `http://127.0.0.1:${port}`, ask, stop };
});

it.skipIf(chromium.skip)(
  "Chromium starts with a long path of the temporary folder, and leaves no files there",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "long-".repeat(16)));
    vi.stubEnv("TMPDIR", folder);
    const browser = await startChromium();
    vi.unstubAllEnvs();
    await browser[Symbol.asyncDispose]();
    rmdirSync(folder);
  },
);
