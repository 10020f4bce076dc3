import type { DescMethodUnary } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { type DeleteItemRequestSchema, type DeleteItemResponseSchema, VaultService } from "@platform-rpc/types";
import { afterEach, describe, expect, it, vi } from "vitest";
import { entries } from "../fixtures/entries.js";
import { rejection, transportRejection } from "../fixtures/rejection.js";
import { createPlatformClient, createPlatformTransport } from "../index.js";
import { createFakePlatform } from "../testing/index.js";

afterEach(() => void vi.restoreAllMocks());

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };

/** A platform with one item, and a client of either entry whose jitter is the greatest. */
function platformWith(create: (typeof entries)[number]["createPlatformClient"]) {
  const platform = createFakePlatform();
  platform.putItem(request);
  vi.spyOn(Math, "random").mockImplementation(almostOne());
  const client = create(platform.options);
  const exchange = (deviceCode: string) => client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode });
  return { platform, client, exchange };
}

describe.each(entries)("retries of $entry", ({ createPlatformClient: create }) => {
  it.each(["unavailable", "deadline_exceeded"] as const)("repeats a call that fails with %s", async (code) => {
    const { platform, client } = platformWith(create);
    platform.failNext(code, { times: 3 });
    expect((await client.vault.deleteItem(request)).item.version).toBe(2);
    expect(platform.calls).toHaveLength(4);
    expect(platform.clock.slept).toEqual([100, 200, 400]);
  });

  it("sends the same request id with all attempts of a call", async () => {
    const { platform, client } = platformWith(create);
    platform.failNext("unavailable");
    const { requestId } = await client.vault.deleteItem(request);
    expect(platform.calls.map((call) => call.requestId)).toEqual([requestId, requestId]);
  });

  it("stops after four attempts", async () => {
    const { platform, client } = platformWith(create);
    platform.failNext("unavailable", { times: 9 });
    expect(await rejection(client.vault.deleteItem(request))).toMatchObject({ reason: "UNAVAILABLE", retryable: true });
    expect(platform.calls).toHaveLength(4);
  });

  it("waits at least as long as the server asks", async () => {
    const { platform, client } = platformWith(create);
    platform.failNext("unavailable", { retryAfter: 2 });
    await client.vault.deleteItem(request);
    expect(platform.clock.slept).toEqual([2_100]);
  });

  it("does not repeat a call when the server asks for a month", async () => {
    const { platform, client } = platformWith(create);
    platform.failNext("unavailable", { retryAfter: 30 * 86_400 });
    expect((await rejection(client.vault.deleteItem(request))).retryAfterMs).toBe(2_592_000_000);
    expect(platform.calls).toHaveLength(1);
  });

  it("does not wait beyond the deadline of the call", async () => {
    const { platform, client } = platformWith(create);
    platform.failNext("unavailable", { retryAfter: 20 });
    const error = await rejection(client.vault.deleteItem(request));
    expect(error).toMatchObject({ reason: "UNAVAILABLE", retryAfterMs: 20_000 });
    expect(platform.clock.slept).toEqual([]);
  });

  it.each([
    { retryAfter: { retryAfter: 1 }, attempts: 2 },
    { retryAfter: {}, attempts: 1 },
  ])("resource_exhausted with $retryAfter: $attempts attempts", async ({ retryAfter, attempts }) => {
    const { platform, client } = platformWith(create);
    platform.failNext("resource_exhausted", retryAfter);
    await client.vault.deleteItem(request).catch(() => undefined);
    expect(platform.calls).toHaveLength(attempts);
  });

  it("does not repeat a call that fails with aborted: the caller must decide again", async () => {
    const { platform, client } = platformWith(create);
    platform.conflictNext();
    const error = await rejection(client.vault.deleteItem(request));
    expect(error).toMatchObject({ reason: "VERSION_CONFLICT", detail: { currentVersion: 2, cursor: { sequence: 2 } } });
    expect(platform.calls).toHaveLength(1);
  });

  it("does not repeat a call that fails with internal", async () => {
    const { platform, client } = platformWith(create);
    platform.failNext("internal");
    expect((await rejection(client.vault.deleteItem(request))).reason).toBe("INTERNAL");
    expect(platform.calls).toHaveLength(1);
  });

  it("returns the result of a call whose response was lost; the call takes effect once", async () => {
    const { platform, client } = platformWith(create);
    platform.loseNextAnswer();
    const { item, cursor } = await client.vault.deleteItem(request);
    expect([item.version, cursor.sequence, platform.calls.length]).toEqual([2, 2, 2]);
  });

  it("WITH_KEY: the client's Idempotency-Key returns the same tokens when the response was lost", async () => {
    const { platform, exchange } = platformWith(create);
    const { deviceCode } = platform.startDevice();
    platform.approveDevice(deviceCode);
    platform.loseNextAnswer();
    expect(await exchange(deviceCode)).toMatchObject({ status: "approved", accessToken: "fake-access-token-1" });
    expect((await rejection(exchange(deviceCode))).reason).toBe("DEVICE_CODE_CONSUMED");
  });

  it("replaces a token that the server calls expired, once, and repeats the call", async () => {
    const { platform, client } = platformWith(create);
    platform.putItem({ ...request, itemId: "item-2" });
    await client.vault.deleteItem(request);
    platform.expireToken();
    await client.vault.deleteItem({ ...request, itemId: "item-2" });
    expect(platform.calls).toHaveLength(3);
  });

  it("100 concurrent calls with an expired token cause one refresh", async () => {
    const { platform } = platformWith(create);
    const refreshes: unknown[] = [];
    const onTokenRefresh = (refresh: unknown) => void refreshes.push(refresh);
    const client = create({ ...platform.options, hooks: { onTokenRefresh } });
    await client.vault.deleteItem(request);
    platform.clock.pass(900_000);
    platform.expireToken();
    const answers = await Promise.all(Array.from({ length: 100 }, () => client.vault.deleteItem(request)));
    expect(new Set(answers.map(({ cursor }) => cursor.sequence))).toEqual(new Set([2]));
    expect(refreshes).toMatchObject([{ reason: "first" }, { reason: "expired" }]);
  });

  it("with a server that fails 20 % of calls, as many succeed as four attempts allow, and none takes effect twice", async () => {
    const { platform } = platformWith(create);
    const random = mulberry32(7);
    let attempts = 0;
    const flaky: typeof fetch = async (...call) => {
      attempts += 1;
      const answer = await platform.options.fetch(...call);
      // Half of the failures come after the effect.
      if (random() < 0.2) throw new TypeError("fetch failed");
      return answer;
    };
    vi.spyOn(Math, "random").mockImplementation(mulberry32(8));
    const client = create({ ...platform.options, fetch: flaky });
    const count = 400;
    const sequences = [];
    let failed = 0;
    for (let number = 0; number < count; number += 1) {
      const item = { ...request, itemId: `item-${number}-of-many` };
      platform.putItem(item);
      const { cursor } = await client.vault.deleteItem(item).catch(() => ({ cursor: undefined }));
      if (cursor === undefined) failed += 1;
      else sequences.push(cursor.sequence);
    }
    // 0.2⁴ of the calls: 0.64 of 400, and at most a few standard deviations more.
    expect(failed).toBeLessThanOrEqual(0.64 + 4 * Math.sqrt(0.64));
    expect(attempts / count).toBeCloseTo(1 + 0.2 + 0.04 + 0.008, 1);
    expect(new Set(sequences).size).toBe(sequences.length);
    // One change for each that was put and one for each that was deleted: nothing was deleted twice.
    platform.putItem({ ...request, itemId: "last" });
    const { cursor } = await create(platform.options).vault.deleteItem({ ...request, itemId: "last" });
    expect(cursor.sequence).toBe(1 + 2 * count + 2);
  });

  it("the retry budget stops retries against a failing server after 20", async () => {
    const { platform, client } = platformWith(create);
    platform.failNext("unavailable", { times: 1_000 });
    for (let number = 0; number < 200; number += 1) await rejection(client.vault.deleteItem(request));
    expect(platform.calls).toHaveLength(220);
  });
});

describe("the retry policy", () => {
  it("full jitter: the wait is between 0 and the bound", async () => {
    const { platform, client } = platformWith(createPlatformClient);
    vi.spyOn(Math, "random").mockReturnValue(0.01);
    platform.failNext("unavailable");
    await client.vault.deleteItem(request);
    expect(platform.clock.slept).toEqual([1]);
  });

  it("can be switched off", async () => {
    const { platform } = platformWith(createPlatformClient);
    const client = createPlatformClient({ ...platform.options, retry: false });
    platform.failNext("unavailable");
    expect((await rejection(client.vault.deleteItem(request))).reason).toBe("UNAVAILABLE");
    expect(platform.calls).toHaveLength(1);
  });

  const unknownEffects = [
    ["NETWORK_ERROR", () => Promise.reject(new TypeError("fetch failed"))],
    ["UNAVAILABLE", async () => unavailableAnswer()],
  ] as const;
  it.each(
    unknownEffects.flatMap(([reason, answer]) =>
      (
        [
          [MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN, 1],
          [MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS, 4],
          [MethodOptions_IdempotencyLevel.IDEMPOTENT, 4],
        ] as const
      ).map(([level, attempts]) => [reason, level, attempts, answer] as const),
    ),
  )(
    "after %s, whose effect is unknown, makes a call of a private operation with idempotency_level %i up to %i times",
    async (reason, idempotency, attempts, answer) => {
      const { platform } = platformWith(createPlatformClient);
      let sent = 0;
      const fetch = () => {
        sent += 1;
        return answer();
      };
      const transport = createPlatformTransport({ ...platform.options, fetch });
      const method: DescMethodUnary<typeof DeleteItemRequestSchema, typeof DeleteItemResponseSchema> = {
        ...VaultService.method.deleteItem,
        name: "Other",
        idempotency,
      };
      const error = await transportRejection(transport.unary(method, undefined, undefined, undefined, request));
      expect(error).toMatchObject({ reason, retryable: attempts > 1 });
      expect(sent).toBe(attempts);
    },
  );
});

/** The response of a server that is unavailable. */
function unavailableAnswer(): Response {
  const details = [{ type: "google.rpc.ErrorInfo", debug: { reason: "UNAVAILABLE", domain: "platform.v1" } }];
  return Response.json({ code: "unavailable", message: "unavailable", details }, { status: 503 });
}

/** Numbers as near to 1 as jitter can be, and none twice: ids are made of them. */
function almostOne(): () => number {
  let number = 0.999_999;
  return () => {
    number += 1e-9;
    return number;
  };
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
