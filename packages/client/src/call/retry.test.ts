import type { DescMethodUnary } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { type DeleteItemRequestSchema, type DeleteItemResponseSchema, VaultService } from "@platform-rpc/types";
import { afterEach, describe, expect, it, vi } from "vitest";
import { rejection, transportRejection } from "../fixtures/rejection.js";
import { createPlatformTransport } from "../index.js";
import { createPlatformClient } from "../json/index.js";
import { createFakePlatform } from "../testing/index.js";

afterEach(() => void vi.restoreAllMocks());

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };

/** A platform with one item, and a client whose jitter is the greatest. */
function connected() {
  const platform = createFakePlatform();
  platform.putItem(request);
  vi.spyOn(Math, "random").mockImplementation(almostOne());
  const client = createPlatformClient(platform.options);
  const exchange = (deviceCode: string) => client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode });
  return { platform, client, exchange };
}

describe("retries", () => {
  it.each(["unavailable", "deadline_exceeded"] as const)("repeats a call that fails with %s", async (code) => {
    const { platform, client } = connected();
    platform.failNext(code, { times: 3 });
    expect((await client.vault.deleteItem(request)).item.version).toBe(2);
    expect(platform.calls).toHaveLength(4);
    expect(platform.clock.slept).toEqual([100, 200, 400]);
  });

  it("sends the same request id with all attempts of a call", async () => {
    const { platform, client } = connected();
    platform.failNext("unavailable");
    const { requestId } = await client.vault.deleteItem(request);
    expect(platform.calls.map((call) => call.requestId)).toEqual([requestId, requestId]);
  });

  it("stops after four attempts", async () => {
    const { platform, client } = connected();
    platform.failNext("unavailable", { times: 9 });
    expect(await rejection(client.vault.deleteItem(request))).toMatchObject({ reason: "UNAVAILABLE", retryable: true });
    expect(platform.calls).toHaveLength(4);
  });

  it("waits at least as long as the server asks", async () => {
    const { platform, client } = connected();
    platform.failNext("unavailable", { retryAfter: 2 });
    await client.vault.deleteItem(request);
    expect(platform.clock.slept).toEqual([2_100]);
  });

  it("does not wait beyond the deadline of the call", async () => {
    const { platform, client } = connected();
    platform.failNext("unavailable", { retryAfter: 20 });
    const error = await rejection(client.vault.deleteItem(request));
    expect(error).toMatchObject({ reason: "UNAVAILABLE", retryAfterMs: 20_000 });
    expect(platform.clock.slept).toEqual([]);
  });

  it.each([
    { retryAfter: { retryAfter: 1 }, attempts: 2 },
    { retryAfter: {}, attempts: 1 },
  ])("resource_exhausted with $retryAfter: $attempts attempts", async ({ retryAfter, attempts }) => {
    const { platform, client } = connected();
    platform.failNext("resource_exhausted", retryAfter);
    await client.vault.deleteItem(request).catch(() => undefined);
    expect(platform.calls).toHaveLength(attempts);
  });

  it("does not repeat a call that fails with aborted: the caller must decide again", async () => {
    const { platform, client } = connected();
    platform.conflictNext();
    const error = await rejection(client.vault.deleteItem(request));
    expect(error).toMatchObject({ reason: "VERSION_CONFLICT", detail: { currentVersion: 2, cursor: { sequence: 2 } } });
    expect(platform.calls).toHaveLength(1);
  });

  it("returns the result of a call whose response was lost; the call takes effect once", async () => {
    const { platform, client } = connected();
    platform.loseNextAnswer();
    const { item, cursor } = await client.vault.deleteItem(request);
    expect([item.version, cursor.sequence, platform.calls.length]).toEqual([2, 2, 2]);
  });

  it("WITH_KEY: the client's Idempotency-Key returns the same tokens when the response was lost", async () => {
    const { platform, exchange } = connected();
    const { deviceCode } = platform.startDevice();
    platform.approveDevice(deviceCode);
    platform.loseNextAnswer();
    expect(await exchange(deviceCode)).toMatchObject({ status: "approved", accessToken: "fake-access-token-1" });
    expect((await rejection(exchange(deviceCode))).reason).toBe("DEVICE_CODE_CONSUMED");
  });
});

describe("the retry policy", () => {
  it("full jitter: the wait is between 0 and the bound", async () => {
    const { platform, client } = connected();
    vi.spyOn(Math, "random").mockReturnValue(0.01);
    platform.failNext("unavailable");
    await client.vault.deleteItem(request);
    expect(platform.clock.slept).toEqual([1]);
  });

  it("the retry budget stops retries against a failing server after 20", async () => {
    const { platform, client } = connected();
    platform.failNext("unavailable", { times: 1_000 });
    for (let number = 0; number < 200; number += 1) await rejection(client.vault.deleteItem(request));
    expect(platform.calls).toHaveLength(220);
  });

  it.each([
    [MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN, 1],
    [MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS, 4],
    [MethodOptions_IdempotencyLevel.IDEMPOTENT, 4],
  ])(
    "without a response, makes a call of a private operation with idempotency_level %i up to %i times",
    async (idempotency, attempts) => {
      const { platform } = connected();
      let sent = 0;
      const fetch = () => {
        sent += 1;
        return Promise.reject(new TypeError("fetch failed"));
      };
      const transport = createPlatformTransport({ ...platform.options, fetch });
      const method: DescMethodUnary<typeof DeleteItemRequestSchema, typeof DeleteItemResponseSchema> = {
        ...VaultService.method.deleteItem,
        name: "Other",
        idempotency,
      };
      const error = await transportRejection(transport.unary(method, undefined, undefined, undefined, request));
      expect(error).toMatchObject({ reason: "NETWORK_ERROR", retryable: attempts > 1 });
      expect(sent).toBe(attempts);
    },
  );
});

/** Numbers as near to 1 as jitter can be, and none twice: ids are made of them. */
function almostOne(): () => number {
  let number = 0.999_999;
  return () => {
    number += 1e-9;
    return number;
  };
}
