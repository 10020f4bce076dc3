import { createListener, createSqliteStorage, jsonDocument } from "@platform-rpc/server";
import { chromium } from "./chromium.js";
import { describeRuntimes } from "./describe-runtimes.js";
import { nodes, workerd } from "./runtimes.js";
import { createTestPlatform } from "./test-platform.js";

describeRuntimes([...nodes, workerd, chromium], async (pageOrigin) => {
  const storage = createSqliteStorage({ path: ":memory:" });
  const { platform, ask } = await createTestPlatform({ storage });
  const listener = createListener(platform, {
    logger: { info: () => {}, error: console.error },
    corsOrigins: [pageOrigin],
    documents: new Map([["/.well-known/jwks.json", () => jsonDocument(200, platform.keyRing.jwks())]]),
  });
  const { port } = await listener.listen(0, "127.0.0.1");
  const stop = () => listener.close(0).then(() => storage.close());
  return { baseUrl: `http://127.0.0.1:${port}`, ask, stop };
});
