import { createClient } from "@connectrpc/connect";
import { IdentityGatewayService, VaultService } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { transportRejection as rejection } from "../fixtures/rejection.js";
import { createPlatformTransport } from "../index.js";
import { createFakePlatform } from "../testing/index.js";

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };

describe("a client over createPlatformTransport calls as the platform client does", () => {
  function connected() {
    const platform = createFakePlatform();
    platform.putItem(request);
    const transport = createPlatformTransport(platform.options);
    return {
      platform,
      vault: createClient(VaultService, transport),
      gateway: createClient(IdentityGatewayService, transport),
    };
  }

  it("with tokens and retries", async () => {
    const { platform, vault } = connected();
    platform.failNext("unavailable", { retryAfter: 2 });
    const { item, cursor } = await vault.deleteItem(request);
    expect([item?.version, cursor?.sequence, platform.calls.length]).toEqual([2, 2, 2]);
  });

  it("with an Idempotency-Key where the operation takes one", async () => {
    const { platform, gateway } = connected();
    const { deviceCode } = platform.startDevice();
    platform.approveDevice();
    platform.loseNextAnswer();
    expect((await gateway.exchangeMcpOauthDeviceAuthorization({ deviceCode })).status).toBe("approved");
  });

  it("rejects with a ConnectError whose cause is the PlatformError", async () => {
    const { platform, vault } = connected();
    platform.conflictNext();
    const error = await rejection(vault.deleteItem(request));
    expect(error).toMatchObject({ reason: "VERSION_CONFLICT", detail: { currentVersion: 2 } });
  });

  it("uses the signal, timeout and headers of a call", async () => {
    const { platform, vault } = connected();
    await vault.deleteItem(request, { headers: { "X-Request-Id": "mine" }, timeoutMs: 1_000 });
    expect(platform.calls).toMatchObject([{ requestId: "mine" }]);
    const aborted = await rejection(vault.deleteItem(request, { signal: AbortSignal.abort() }));
    expect(aborted.reason).toBe("CANCELED");
  });

  it.each([0, -1])("treats a timeoutMs of %d as no limit, as Connect does", async (timeoutMs) => {
    const { platform } = connected();
    const sent: (string | null)[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      sent.push(new Headers(init?.headers).get("Connect-Timeout-Ms"));
      return platform.options.fetch(input, init);
    };
    const vault = createClient(VaultService, createPlatformTransport({ ...platform.options, fetch }));
    expect((await vault.deleteItem(request, { timeoutMs })).item?.deleted).toBe(true);
    expect(sent).toEqual(["30000"]);
  });
});
