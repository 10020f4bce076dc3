import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema, IdentityGatewayService, VaultService, VersionConflictSchema } from "@platform-rpc/types";
import { afterAll, describe, expect, it } from "vitest";
import { startPlatform } from "./start-platform.js";
import { createLatch, startStub } from "./start-stub.js";

const test = await startPlatform();
afterAll(test.close);
const { accessToken } = await test.issue();
const transport = (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false });
const vaults = createClient(VaultService, transport(test.url));
const headers = { Authorization: `Bearer ${accessToken}` };

async function errorOf(call: Promise<unknown>): Promise<ConnectError> {
  return call.then(
    () => {
      throw new Error("the call succeeded");
    },
    (error: unknown) => ConnectError.from(error),
  );
}
const reasonOf = (error: ConnectError) => error.findDetails(ErrorInfoSchema)[0]?.reason;

describe("a stock Connect-ES v2 client, unchanged", () => {
  it("calls DeleteItem, and reads numbers and timestamps", async () => {
    const itemId = await test.putItem("i-stock");
    const { item, cursor } = await vaults.deleteItem({ vaultId: "v-1", itemId, baseVersion: 1 }, { headers });
    expect(item).toMatchObject({ itemId, version: 2, deleted: true });
    expect(cursor).toMatchObject({ vaultId: "v-1", sequence: 2 });
  });

  it("calls the exchange, and reads its error", async () => {
    const identity = createClient(IdentityGatewayService, transport(test.url));
    const error = await errorOf(identity.exchangeMcpOauthDeviceAuthorization({ deviceCode: "pdc_x" }, { headers }));
    expect({ code: error.code, reason: reasonOf(error) }).toEqual({
      code: Code.NotFound,
      reason: "DEVICE_CODE_INVALID",
    });
  });

  it("finds the VersionConflict detail of a conflict", async () => {
    const itemId = await test.putItem("i-stock-conflict");
    const error = await errorOf(vaults.deleteItem({ vaultId: "v-1", itemId, baseVersion: 9 }, { headers }));
    expect(error.code).toBe(Code.Aborted);
    expect(error.findDetails(VersionConflictSchema)).toMatchObject([
      { itemId, baseVersion: 9, currentVersion: 1, deleted: false, cursor: { vaultId: "v-1" } },
    ]);
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([
      { metadata: { requestId: error.metadata.get("x-request-id") } },
    ]);
  });

  it("reads code and reason of an error, also of errors outside the Connect protocol", async () => {
    const unauthenticated = await errorOf(vaults.deleteItem({}));
    expect([unauthenticated.code, reasonOf(unauthenticated)]).toEqual([Code.Unauthenticated, "UNAUTHENTICATED"]);
    const elsewhere = createClient(VaultService, transport(`${test.url}/elsewhere`));
    const unknown = await errorOf(elsewhere.deleteItem({}));
    expect([unknown.code, reasonOf(unknown)]).toEqual([Code.Unimplemented, "OPERATION_UNKNOWN"]);
    const large = await errorOf(vaults.deleteItem({ vaultId: "x".repeat(70_000) }, { headers }));
    expect([large.code, reasonOf(large)]).toEqual([Code.ResourceExhausted, "REQUEST_TOO_LARGE"]);
  });

  it("enforces its deadline", async () => {
    const latch = createLatch();
    const stub = await startStub(() => latch.opened);
    const client = createClient(VaultService, transport(stub.url));
    expect((await errorOf(client.deleteItem({}, { timeoutMs: 20 }))).code).toBe(Code.DeadlineExceeded);
    latch.open();
    await stub.close();
  });

  it("is rejected in binary format, because only JSON is supported", async () => {
    const binary = createConnectTransport({ baseUrl: test.url, httpVersion: "1.1", useBinaryFormat: true });
    const error = await errorOf(createClient(VaultService, binary).deleteItem({}, { headers }));
    expect(error.code).toBe(Code.Unknown);
  });
});
