import { createServer, type RequestListener } from "node:http";
import type { ConnectRouter, ServiceImpl } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import {
  connectHostOptions,
  createListener,
  createMemoryKeyStore,
  createPlatform,
  cursorMessage,
  type GatedRoutes,
  itemMessage,
  type Logger,
  type TokenClaims,
} from "@platform-rpc/server";
import { VaultService } from "@platform-rpc/types";
import { destination, pino } from "pino";
import { names } from "./bench-platform.ts";
import { fixtureItem, fixtureStorage } from "./fixture.ts";
import { serveTarget } from "./target.ts";

const claims: TokenClaims = {
  tenantId: "tenant-1",
  principalId: "principal-1",
  oauthClientId: "client-1",
  tokenId: "token-1",
  grantId: "grant-1",
  scopes: ["vault.items:delete"],
  expiresAt: Number.MAX_SAFE_INTEGER,
};

const fixture: ServiceImpl<typeof VaultService> = {
  deleteItem: () => ({
    $typeName: "platform.v1.DeleteItemResponse",
    item: itemMessage(fixtureItem),
    cursor: cursorMessage(fixtureItem.vaultId, fixtureItem.sequence),
  }),
};
const fixtureRoutes = (router: ConnectRouter): void => {
  router.service(VaultService, fixture);
};
const jsonOptions = { alwaysEmitImplicit: true };

// Logs are written as in production: to a file descriptor, in batches.
const logger = pino({ level: "info" }, destination({ dest: "/dev/null", minLength: 8192, sync: true }));

/** Creates a platform with everything but real storage: validation, cached token, policy, limiter. */
function everything() {
  return createPlatform({
    storage: fixtureStorage,
    keys: createMemoryKeyStore(),
    ...names,
    verifier: { verify: async () => claims },
    rates: { "platform.v1.VaultService/DeleteItem": { perMinute: 1e9, burst: 1e9 } },
  });
}

async function listenStock(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function listen(name: string | undefined): Promise<number> {
  switch (name) {
    case "bare": {
      const answer = JSON.parse(
        JSON.stringify({
          item: { ...fixtureItem, updatedAt: new Date(fixtureItem.updatedAt) },
          cursor: { sequence: 7 },
        }),
      );
      return listenStock((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => {
          const { itemId } = JSON.parse(Buffer.concat(chunks).toString());
          const body = JSON.stringify({ ...answer, itemId });
          response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
          response.end(body);
        });
      });
    }
    case "stock-fixture":
      return listenStock(connectNodeAdapter({ routes: fixtureRoutes, jsonOptions }));
    case "stock-full": {
      const platform = await everything();
      const adapter = connectNodeAdapter(connectHostOptions(platform));
      return listenStock((request, response) => {
        const startedAt = performance.now();
        response.on("close", () => {
          logger.info({ operation: request.url, durationMs: performance.now() - startedAt, code: "ok" }, "request");
        });
        adapter(request, response);
      });
    }
    case "listener-fixture":
      // No log, because neither of the servers it is compared with writes one.
      return listenWith({ routes: fixtureRoutes, admit: () => claims }, pino({ level: "silent" }));
    case "listener-full":
      return listenWith(await everything(), logger);
    default:
      throw new Error(`no such target: ${name}`);
  }
}

async function listenWith(platform: GatedRoutes, logger: Logger) {
  return (await createListener(platform, { logger }).listen(0, "127.0.0.1")).port;
}

serveTarget(await listen(process.argv[2]));
