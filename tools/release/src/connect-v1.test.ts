import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code, ConnectError, createPromiseClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ErrorInfo, IdentityGatewayService, VaultService, VersionConflict } from "@platform-rpc/types-connect-v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fixture, type PlatformApp, startPlatformApp } from "./rehearsal/platform-app.ts";

const folder = mkdtempSync(join(tmpdir(), "connect-v1-"));
let app: PlatformApp | undefined;

beforeAll(async () => {
  app = await startPlatformApp(folder);
});

afterAll(async () => {
  await app?.stop();
  rmSync(folder, { recursive: true });
});

async function createFixture(): Promise<Fixture> {
  if (app === undefined) throw new Error("The platform app is not running.");
  return app.createFixture();
}

/** Creates a Connect-ES v1 transport for JSON. */
function transportOf({ baseUrl, token }: Pick<Fixture, "baseUrl" | "token">) {
  return createConnectTransport({
    baseUrl,
    httpVersion: "1.1",
    useBinaryFormat: false,
    interceptors: [
      (next) => (request) => {
        request.header.set("Authorization", `Bearer ${token}`);
        return next(request);
      },
    ],
  });
}

async function errorOf(call: Promise<unknown>): Promise<ConnectError> {
  const error = call.then(
    () => "the call was not rejected",
    (error: unknown) => error,
  );
  return ConnectError.from(await error);
}

const reasonsOf = (error: ConnectError) => error.findDetails(ErrorInfo).map(({ reason }) => reason);

describe("DeleteItem, called with Connect-ES v1 and @platform-rpc/types-connect-v1", () => {
  it("deletes, returns the same answer to a retry, and reports a conflict in its detail: DECISIONS section 3", async () => {
    const fixture = await createFixture();
    const { itemId, vaultId, baseVersion } = fixture.item;
    const vault = createPromiseClient(VaultService, transportOf(fixture));

    const deleted = await vault.deleteItem(fixture.item);
    expect(deleted.item).toMatchObject({ itemId, version: baseVersion + 1, deleted: true });
    expect(deleted.item?.encryptedPayload?.ciphertext).toBe("Y2lwaGVydGV4dA");
    expect(deleted.item?.updatedAt?.toDate().getTime()).toBeGreaterThan(0);
    expect(deleted.cursor?.vaultId).toBe(vaultId);

    const again = await vault.deleteItem(fixture.item);
    expect(again.toJsonString()).toBe(deleted.toJsonString());

    const conflict = await errorOf(vault.deleteItem({ ...fixture.item, baseVersion: 7 }));
    expect(conflict.code).toBe(Code.Aborted);
    expect(reasonsOf(conflict)).toEqual(["VERSION_CONFLICT"]);
    const [detail] = conflict.findDetails(VersionConflict);
    expect(detail).toMatchObject({ itemId, baseVersion: 7, currentVersion: baseVersion + 1, deleted: true });
    expect(detail?.cursor?.sequence).toBe(deleted.cursor?.sequence);
  });

  it("rejects an invalid token: DECISIONS section 5", async () => {
    const { baseUrl, item } = await createFixture();
    const vault = createPromiseClient(VaultService, transportOf({ baseUrl, token: "none" }));
    const error = await errorOf(vault.deleteItem(item));
    expect(error.code).toBe(Code.Unauthenticated);
    expect(reasonsOf(error)).toEqual(["UNAUTHENTICATED"]);
    expect(error.metadata.get("WWW-Authenticate")).toContain('error="invalid_token"');
  });
});

describe("ExchangeMcpOauthDeviceAuthorization, called with Connect-ES v1 and @platform-rpc/types-connect-v1", () => {
  it("is pending, then approved once, then consumed: DECISIONS section 4", async () => {
    const fixture = await createFixture();
    const gateway = createPromiseClient(IdentityGatewayService, transportOf(fixture));

    const pending = await gateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: fixture.pendingCode });
    expect(pending).toMatchObject({ status: "authorization_pending", accessToken: "", intervalSeconds: 5 });
    expect(pending.brokerToken).toBeUndefined();

    const approved = await gateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: fixture.approvedCode });
    expect(approved).toMatchObject({ status: "approved", tokenType: "Bearer", intervalSeconds: 0 });
    expect(approved.brokerToken).toMatchObject({ role: "agent", scopes: ["vault.items:delete"] });

    const usedUp = await errorOf(gateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: fixture.approvedCode }));
    expect(usedUp.code).toBe(Code.FailedPrecondition);
    expect(reasonsOf(usedUp)).toEqual(["DEVICE_CODE_CONSUMED"]);
  });
});
