import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { rejection } from "../fixtures/rejection.js";
import { createPlatformClient, waitForDeviceAuthorization } from "../json/index.js";
import { createFakePlatform } from "../testing/index.js";
import type { DeviceAuthorizationStatus } from "./device-session.js";

describe("RFC 8628 section 3.5", () => {
  /** A device authorization, and the statuses that a client reports meanwhile. */
  function waiting(terms: Parameters<ReturnType<typeof createFakePlatform>["startDevice"]>[0] = {}) {
    const platform = createFakePlatform();
    const client = createPlatformClient(platform.options);
    const started = platform.startDevice(terms);
    const statuses: DeviceAuthorizationStatus[] = [];
    const startedAt = platform.clock.now();
    return {
      platform,
      client,
      started,
      statuses,
      passed: () => (platform.clock.now() - startedAt) / 1000,
      /** Waits, and lets something happen after so many polls. */
      wait: (after: Readonly<Record<number, () => void>> = {}, options = {}) =>
        waitForDeviceAuthorization(client, started, {
          ...options,
          onStatus: (status) => {
            statuses.push(status);
            after[statuses.length]?.();
          },
        }),
    };
  }

  it.each([{ intervalSeconds: 0 }, { intervalSeconds: 0, expiresInSeconds: Number.NaN }])(
    "uses the defaults for %o, and ends even if no poll is answered",
    async (terms) => {
      const { client, platform, passed } = waiting();
      platform.failNext("unavailable", { times: 1_000 });
      const error = await rejection(waitForDeviceAuthorization(client, { deviceCode: "pdc_fake-1", ...terms }));
      expect(error).toMatchObject({ reason: "EXPIRED_TOKEN" });
      expect(passed()).toBeLessThanOrEqual(600);
      expect(platform.calls.length).toBeLessThan(100);
    },
  );

  it("ends with the first poll when its Idempotency-Key is not valid", async () => {
    const { platform, wait } = waiting();
    const { reason, violations } = await rejection(wait({}, { idempotencyKey: "short" }));
    expect([reason, violations[0]?.field]).toEqual(["INVALID_FIELD", "Idempotency-Key"]);
    expect(platform.calls).toHaveLength(1);
  });

  it("polls at the interval until the user approves, and never gets slow_down", async () => {
    const { platform, wait, started, statuses, passed } = waiting();
    await wait({ 3: () => platform.approveDevice(started.deviceCode) });
    expect(statuses.map(({ status }) => status)).toEqual(Array(3).fill("authorization_pending"));
    expect(passed()).toBe(4 * 5.25);
  });

  it("returns a token that a client accepts, and when it expires", async () => {
    const { platform, wait, started } = waiting();
    platform.approveDevice(started.deviceCode);
    const session = await wait();
    expect(session.expiresAt.getTime()).toBe(platform.clock.now() + 900_000);
    expect(session.token.expiresAt).toEqual(session.expiresAt);
    expect(session.brokerToken.accessToken.reveal()).toBe("fake-broker-token-1");
    expect(
      inspect(session, { depth: null, showHidden: true }) + JSON.stringify({ ...session, brokerToken: 0 }),
    ).not.toMatch(/fake-(access|broker)-token/);
    platform.putItem({ vaultId: "vault-1", itemId: "item-1" });
    const agent = createPlatformClient({ ...platform.options, token: session.token });
    const { item } = await agent.vault.deleteItem({ vaultId: "vault-1", itemId: "item-1", baseVersion: 1 });
    expect(item.deleted).toBe(true);
  });

  it("slow_down adds five seconds to every later interval", async () => {
    const { platform, client, wait, started, statuses } = waiting();
    await client.identityGateway.exchangeMcpOauthDeviceAuthorization(started);
    await wait({ 3: () => platform.approveDevice(started.deviceCode) }, { pollNow: true });
    expect(statuses.map(({ status, intervalSeconds }) => [status, intervalSeconds])).toEqual([
      ["slow_down", 10],
      ["authorization_pending", 10],
      ["authorization_pending", 10],
    ]);
  });

  it("uses the server's interval when it is longer", async () => {
    const { client, platform, started } = waiting({ intervalSeconds: 30 });
    const statuses: number[] = [];
    await waitForDeviceAuthorization(client, started.deviceCode, {
      onStatus: ({ intervalSeconds }) => {
        if (statuses.push(intervalSeconds) === 2) platform.approveDevice(started.deviceCode);
      },
    });
    expect(statuses).toEqual([30, 30]);
  });

  it.each([
    { decide: "denyDevice", reason: "ACCESS_DENIED", code: "permission_denied" },
    { decide: "expire", reason: "EXPIRED_TOKEN", code: "failed_precondition" },
  ] as const)("ends with $reason", async ({ decide, reason, code }) => {
    const { platform, wait, started } = waiting();
    const happen = () =>
      decide === "denyDevice" ? platform.denyDevice(started.deviceCode) : platform.clock.pass(600_000);
    expect(await rejection(wait({ 1: happen }))).toMatchObject({ reason, code, retryable: false });
  });

  it("ends when the code expires, with one last poll just before, also with a signal", async () => {
    const { platform, wait, passed, statuses } = waiting({ intervalSeconds: 5, expiresInSeconds: 62 });
    const error = await rejection(wait({}, { signal: new AbortController().signal }));
    expect(error.reason).toBe("EXPIRED_TOKEN");
    expect(passed()).toBe(61);
    expect(statuses.map(({ status }) => status)).not.toContain("slow_down");
    expect(platform.calls).toHaveLength(statuses.length);
  });

  it("returns the tokens of an approval in the last seconds", async () => {
    const { platform, wait, started } = waiting({ expiresInSeconds: 60 });
    platform.clock.after(58_900, () => platform.approveDevice(started.deviceCode));
    expect((await wait()).token.reveal()).toBe("fake-access-token-1");
  });

  it("backs off while polls fail, and waits at least as long as the server asks", async () => {
    const { platform, wait, started, statuses } = waiting();
    platform.failNext("unavailable", { times: 3 });
    platform.failNext("unavailable", { retryAfter: 45 });
    await wait({ 4: () => platform.approveDevice(started.deviceCode) });
    expect(statuses.map(({ status, intervalSeconds }) => [status, intervalSeconds])).toEqual([
      ["unavailable", 10],
      ["unavailable", 20],
      ["unavailable", 30],
      ["unavailable", 45],
    ]);
    expect(platform.calls).toHaveLength(5);
  });

  it("returns the tokens of a lost response", async () => {
    const { platform, wait, started } = waiting();
    platform.approveDevice(started.deviceCode);
    platform.loseNextAnswer();
    expect((await wait()).token.reveal()).toBe("fake-access-token-1");
  });

  it("can be aborted and continued", async () => {
    const { platform, wait, started, client } = waiting();
    const controller = new AbortController();
    const error = await rejection(wait({ 2: () => controller.abort() }, { signal: controller.signal }));
    expect(error).toMatchObject({ reason: "CANCELED", code: "canceled" });
    platform.approveDevice(started.deviceCode);
    const session = await waitForDeviceAuthorization(client, started.deviceCode, { pollNow: true });
    expect(session.brokerToken.role).toBe("agent");
  });

  it("ends with the error of a poll; no error or status contains the code", async () => {
    const { platform, wait, statuses, client } = waiting();
    const unknown = await rejection(waitForDeviceAuthorization(client, "pdc_canary"));
    expect(unknown.reason).toBe("DEVICE_CODE_INVALID");
    await rejection(wait({ 2: () => platform.clock.pass(600_000) }));
    expect(inspect([unknown, statuses], { depth: null, showHidden: true })).not.toContain("pdc_");
  });
});
