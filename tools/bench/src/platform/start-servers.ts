import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectHostOptions, createListener, type Platform } from "@platform-rpc/server";
import type { TokenClaims } from "@platform-rpc/server/host";
import { VaultService } from "@platform-rpc/types";
import { fixtureMessage, fixtureResponse, path } from "./fixture.ts";

// Packages that only one server needs are imported where it starts, so that each process loads only its own.

export interface Listening {
  readonly port: number;
}

interface BareRequest {
  readonly itemId: string;
  readonly limit?: number;
}

/** Starts the least that a JSON server on node:http does: parses the body, and writes the response in one piece. */
export function startBare(
  respond: (request: BareRequest, url: string) => object = ({ itemId }) => fixtureResponse(itemId),
): Promise<Listening> {
  return listen((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      const body = JSON.stringify(respond(JSON.parse(text), request.url ?? ""));
      response.writeHead(200, ["Content-Type", "application/json", "Content-Length", String(Buffer.byteLength(body))]);
      response.end(body);
    });
  });
}

/** Starts Fastify with schemas of the request, which it validates, and of the response, from which it compiles a serializer. */
export async function startFastify(): Promise<Listening> {
  const { fastify } = await import("fastify");
  const app = fastify();
  app.post<{ Body: { itemId: string } }>(path, { schema: fastifySchema() }, async (request) =>
    fixtureResponse(request.body.itemId),
  );
  await app.listen({ port: 0, host: "127.0.0.1" });
  return addressOf(app.server.address());
}

function fastifySchema() {
  const text = { type: "string" };
  const id = { type: "string", minLength: 1, maxLength: 128 };
  const integer = { type: "integer", minimum: 0, maximum: 4_294_967_295 };
  const object = (properties: Readonly<Record<string, object>>) => {
    return { type: "object", properties, required: Object.keys(properties) };
  };
  const item = object({
    itemId: text,
    tenantId: text,
    vaultId: text,
    version: integer,
    kind: text,
    titleHash: text,
    updatedAt: text,
    encryptedPayload: object({ alg: text, nonce: text, aad: text, ciphertext: text, version: integer }),
    wrappedKeys: { type: "array", items: object({ recipientId: text, wrapAlg: text, wrappedKey: text }) },
    deleted: { type: "boolean" },
  });
  return {
    body: object({ vaultId: id, itemId: id, baseVersion: { ...integer, minimum: 1 } }),
    response: { 200: object({ item, cursor: object({ vaultId: text, sequence: integer }) }) },
  };
}

export async function startHono(): Promise<Listening> {
  const [{ createAdaptorServer }, { Hono }] = await Promise.all([import("@hono/node-server"), import("hono")]);
  const app = new Hono();
  app.post(path, async (context) => {
    const { itemId } = await context.req.json<{ itemId: string }>();
    return context.json(fixtureResponse(itemId));
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(addressOf(server.address())));
  });
}

export async function startStock(): Promise<Listening> {
  const { connectNodeAdapter } = await import("@connectrpc/connect-node");
  return listen(connectNodeAdapter({ routes: fixtureRoutes, jsonOptions: { alwaysEmitImplicit: true } }));
}

/**
 * Starts stock Connect with the services of a platform: the same token cache, policy, rate limit and validation as behind our
 * listener. It logs as most services do, with pino's defaults.
 */
export async function startStockPlatform(platform: Platform): Promise<Listening> {
  const [{ connectNodeAdapter }, { pino }] = await Promise.all([import("@connectrpc/connect-node"), import("pino")]);
  const logger = pino();
  const adapter = connectNodeAdapter(connectHostOptions(platform));
  return listen((request, response) => {
    const startedAt = performance.now();
    response.on("close", () => {
      const { statusCode: status } = response;
      logger.info({ operation: request.url, status, durationMs: performance.now() - startedAt }, "request");
    });
    adapter(request, response);
  });
}

/** Starts our listener with the fixed response and without a log, because its peers have none. */
export async function startListener(): Promise<Listening> {
  const silent = { info: () => {}, error: () => {} };
  const listener = createListener({ routes: fixtureRoutes, admit: () => claims }, { logger: silent });
  return listener.listen(0, "127.0.0.1");
}

export async function startPlatform(platform: Platform): Promise<Listening> {
  const { createLog } = await import("@platform-rpc/platform/log");
  const listener = createListener(platform, { logger: createLog("info") });
  return listener.listen(0, "127.0.0.1");
}

/** The service with the fixed response, for every host of Connect services. */
function fixtureRoutes(router: ConnectRouter): void {
  router.service(VaultService, {
    deleteItem: ({ itemId }) => fixtureMessage(itemId),
  });
}

/** The claims of every caller, where tokens are not checked. */
const claims: TokenClaims = {
  tenantId: "tenant-1",
  principalId: "principal-1",
  oauthClientId: "client-1",
  tokenId: "token-1",
  grantId: "grant-1",
  scopes: ["vault.items:delete"],
  expiresAt: Number.MAX_SAFE_INTEGER,
};

export function listen(listener: RequestListener): Promise<Listening> {
  const server = createServer(listener);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(addressOf(server.address())));
  });
}

function addressOf(address: AddressInfo | string | null): Listening {
  if (address === null || typeof address === "string") throw new Error("The server does not listen on a TCP port.");
  return address;
}
