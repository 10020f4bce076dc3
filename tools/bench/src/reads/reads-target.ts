import { tmpdir } from "node:os";
import { join } from "node:path";
import { callerContract } from "@platform-rpc/accounts/contract/private-contract";
import { createMemberListener } from "@platform-rpc/accounts/members/member-listener";
import { createLog } from "@platform-rpc/platform/log";
import { createMemoryKeyStore, createSqliteStorage } from "@platform-rpc/server";
import { defaultLimits } from "@platform-rpc/server/host";
import { serveTarget } from "../load/serve-target.ts";
import { createBenchPlatform, seed } from "../platform/bench-platform.ts";
import { fixtureResponse } from "../platform/fixture.ts";
import { listen, startBare } from "../platform/start-servers.ts";
import { items, operationOf } from "./read-requests.ts";

// Serves reads: as members do them, or as bare node:http does.
if (process.argv[2] === "bare") {
  const listPath = `/${operationOf.listFew}`;
  const { port } = await startBare(({ itemId, limit = 0 }, url) => {
    const { item, cursor } = fixtureResponse(itemId);
    if (url !== listPath) return { item, cursor };
    const changes = Array.from({ length: limit }, (_, index) => ({
      sequence: index,
      item: { ...item, itemId: `item-${index}` },
    }));
    return { changes, cursor, hasMore: true };
  });
  serveTarget(port);
} else {
  const storage = createSqliteStorage({ path: join(tmpdir(), "bench.sqlite") });
  const served = {
    contract: callerContract,
    operations: [operationOf.getItem, operationOf.listFew],
    scopes: ["vault.items:read"],
  };
  const { platform, token } = await createBenchPlatform(storage, createMemoryKeyStore(), served);
  await seed(platform.operations, { vaults: 1, items });
  const listener = createMemberListener({
    platform,
    origin: "http://127.0.0.1",
    limits: defaultLimits,
    logSuccesses: 1,
    lookEveryMs: 100,
    clock: { now: Date.now },
    logger: createLog("info"),
    tracing: undefined,
    unread: undefined,
    onRequestEnd: () => {},
  });
  const { port } = await listen((request, response) => void listener.handle(request, response));
  serveTarget(port, token);
}
