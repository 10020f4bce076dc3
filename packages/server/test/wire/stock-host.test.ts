import { createServer, type Server } from "node:http";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { connectNodeAdapter, createConnectTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema, VaultService, VersionConflictSchema } from "@platform-rpc/types";
import { afterAll, describe, expect, it } from "vitest";
import { readOperation } from "../../src/contract/operation.js";
import { connectHostOptions } from "../../src/http/connect-host.js";
import { startPlatform } from "./start-platform.js";
import { listenOn } from "./test-server.js";

const test = await startPlatform({ limited: true });
const { routes } = test.platform;
const gated = await host(createServer(connectNodeAdapter(connectHostOptions(test.platform))));
const ungated = await host(createServer(connectNodeAdapter({ routes })));
afterAll(async () => {
  for (const { server } of [gated, ungated]) {
    server.closeAllConnections();
    server.close();
  }
  await test.close();
});

function clientOf(baseUrl: string) {
  return createClient(VaultService, createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }));
}

async function host(server: Server) {
  const baseUrl = `http://127.0.0.1:${await listenOn(server)}`;
  return { server, baseUrl, vaults: clientOf(baseUrl) };
}

async function errorOf(call: Promise<unknown>): Promise<ConnectError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => ConnectError.from(thrown),
  );
  if (error === undefined) throw new Error("the call succeeded");
  return error;
}
const infoOf = (error: ConnectError) => error.findDetails(ErrorInfoSchema)[0];
const bearer = async (caller = {}) => ({
  Authorization: `Bearer ${(await test.issue(caller)).accessToken}`,
  "X-Request-Id": "r-host",
});

describe("a stock Connect-ES v2 client of the listener", () => {
  const vaults = clientOf(test.url);

  it("finds the VersionConflict detail of a conflict", async () => {
    const itemId = await test.putItem("i-stock-conflict");
    const request = { vaultId: "v-1", itemId, baseVersion: 9 };
    const error = await errorOf(vaults.deleteItem(request, { headers: await bearer() }));
    expect(error.code).toBe(Code.Aborted);
    expect(error.findDetails(VersionConflictSchema)).toMatchObject([
      { itemId, baseVersion: 9, currentVersion: 1, deleted: false, cursor: { vaultId: "v-1" } },
    ]);
    expect(infoOf(error)).toMatchObject({ metadata: { requestId: "r-host" } });
  });

  it("reads code and reason of an error outside the Connect protocol", async () => {
    const unknown = await errorOf(clientOf(`${test.url}/elsewhere`).deleteItem({}));
    expect([unknown.code, infoOf(unknown)?.reason]).toEqual([Code.Unimplemented, "OPERATION_UNKNOWN"]);
  });
});

describe("the routes in a stock Connect host, with their gate", () => {
  it("serve calls", async () => {
    const itemId = await test.putItem("i-host");
    const request = { vaultId: "v-1", itemId, baseVersion: 1 };
    let cacheControl: string | null = null;
    const onHeader = (headers: Headers) => {
      cacheControl = headers.get("Cache-Control");
    };
    const options = { headers: await bearer(), onHeader };
    expect(await gated.vaults.deleteItem(request, options)).toMatchObject({ item: { version: 2 } });
    expect(cacheControl).toBe("no-store");
  });

  it("check token, allowlist, scope and rate as the listener does", async () => {
    const rejected = async (caller: object) =>
      infoOf(await errorOf(gated.vaults.deleteItem({}, { headers: await bearer(caller) })));
    expect(infoOf(await errorOf(gated.vaults.deleteItem({})))).toMatchObject({ reason: "UNAUTHENTICATED" });
    expect(await rejected({ oauthClientId: "c-unknown" })).toMatchObject({ reason: "TOKEN_NOT_ALLOWLISTED" });
    expect(await rejected({ scopes: [] })).toMatchObject({
      reason: "INSUFFICIENT_SCOPE",
      metadata: { requestId: "r-host" },
    });
    const { Authorization } = await bearer({ principalId: "p-admin" });
    for (let calls = 0; calls < 100; calls += 1)
      await test.platform.admit(Authorization, readOperation(VaultService.method.deleteItem));
    expect(await rejected({ principalId: "p-admin" })).toMatchObject({ reason: "RATE_LIMITED" });
  });

  it("return the details of a conflict, and the request id", async () => {
    const itemId = await test.putItem("i-host-conflict");
    const error = await errorOf(
      gated.vaults.deleteItem({ vaultId: "v-1", itemId, baseVersion: 7 }, { headers: await bearer() }),
    );
    expect(error.code).toBe(Code.Aborted);
    expect(error.findDetails(VersionConflictSchema)).toMatchObject([{ itemId, currentVersion: 1 }]);
    expect(infoOf(error)).toMatchObject({ metadata: { requestId: "r-host" } });
  });

  it("reject a token in the query before anything is read", async () => {
    const answer = await fetch(`${gated.baseUrl}/platform.v1.VaultService/DeleteItem?access_token=x`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Connect-Protocol-Version": "1" },
      body: "{}",
    });
    expect(await answer.text()).toContain("invalid_argument");
    expect(answer.status).toBe(400);
  });
});

describe("the routes in a stock Connect host without the gate", () => {
  it("reject every caller as unauthenticated, also with a valid token", async () => {
    const itemId = await test.putItem("i-ungated");
    const request = { vaultId: "v-1", itemId, baseVersion: 1 };
    const error = await errorOf(ungated.vaults.deleteItem(request, { headers: await bearer() }));
    expect({ code: error.code, reason: infoOf(error)?.reason }).toEqual({
      code: Code.Unauthenticated,
      reason: "UNAUTHENTICATED",
    });
    expect((await test.deleteItem(request)).json()).toMatchObject({ item: { version: 2 } });
  });
});
