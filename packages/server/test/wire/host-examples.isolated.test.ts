import { createServer, type RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
// The built package, which the examples import too: one copy of it serves the calls.
import { createMemoryKeyStore, createPlatform, createSqliteStorage } from "@platform-rpc/server";
import { publicOperations } from "@platform-rpc/server/fetch";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createApp as createExpressApp } from "../../examples/express.js";
import { createApp as createFastifyApp } from "../../examples/fastify.js";
import { createApp as createHonoApp } from "../../examples/hono.js";
import { createRoute } from "../../examples/next.js";
import { itemContent, seeder, tokenNames } from "./start-platform.js";

// The log of the examples.
vi.mock("pino", () => ({ pino: () => ({ info: () => {}, error: () => {} }) }));

const storage = createSqliteStorage({ path: ":memory:" });
const platform = await createPlatform({ storage, keys: createMemoryKeyStore(), ...tokenNames });
const { own } = platform;
const [tenantId, principalId, oauthClientId, vaultId] = ["t-1", "p-1", "c-1", "v-1"];
const allowedOperations = [...publicOperations.keys()];
await own.setPrincipal({ tenantId, principalId, active: true }, seeder);
await own.setOauthClient({ tenantId, oauthClientId, name: "Client", allowedOperations, enabled: true }, seeder);
await own.createVault({ tenantId, vaultId, retentionDays: 30 }, seeder);
await own.setVaultMember({ tenantId, vaultId, principalId, role: "owner" }, seeder);
const scopes = [...publicOperations.values()].flatMap(({ requiredScopes }) => requiredScopes);
const token = await own.issueAccessToken({ tenantId, principalId, oauthClientId, scopes, lifeSeconds: 0 }, seeder);

const ends: (() => unknown)[] = [() => storage.close()];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close().closeAllConnections());
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("the host does not listen on TCP");
  return `http://127.0.0.1:${address.port}`;
}

const hosts: Readonly<Record<string, () => Promise<string>>> = {
  Express: () => serve(createExpressApp(platform).app),
  async Fastify() {
    const app = createFastifyApp(platform);
    ends.push(() => app.close());
    return app.listen({ port: 0, host: "127.0.0.1" });
  },
  Hono: () => serve(getRequestListener(createHonoApp(platform).fetch)),
  /** Next itself does not run here: it calls the function of a route that has the name of the request's method. */
  "a route of Next": () => {
    const route: Readonly<Record<string, (request: Request) => Promise<Response>>> = createRoute(platform);
    return serve(
      getRequestListener((request) => route[request.method]?.(request) ?? new Response(null, { status: 405 })),
    );
  },
};

describe.each(Object.entries(hosts))("the example of %s", async (name, start) => {
  const url = await start();
  const itemId = `i-${name.replaceAll(" ", "-")}`;
  const call = (body: string, headers: object = {}, operation = "platform.v1.VaultService/DeleteItem") =>
    fetch(`${url}/rpc/${operation}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token.accessToken}`,
        "Content-Type": "application/json",
        "Connect-Protocol-Version": "1",
        ...headers,
      },
      body,
    });
  const valid = JSON.stringify({ vaultId, itemId, baseVersion: 1 });

  it("serves a call", async () => {
    await own.putItem({ access: "administrator", tenantId, vaultId, itemId, baseVersion: 0, ...itemContent }, seeder);
    const response = await call(valid);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ item: { itemId, version: 2, deleted: true } });
  });

  it.each([
    ["MALFORMED_JSON", () => call("{")],
    ["REQUEST_TOO_LARGE", () => call(" ".repeat(65_537))],
    ["OPERATION_UNKNOWN", () => call(valid, {}, "platform.v1.VaultService/Unknown")],
  ])("answers %s with the Error body", async (reason, send) => {
    const response = await send();
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(JSON.parse(await response.text()).details[0].debug.reason).toBe(reason);
  });
});
