import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { rejection } from "../fixtures/rejection.js";
import { createPlatformClient, type StartedDeviceAuthorization, waitForDeviceAuthorization } from "../index.js";
import { createFakePlatform } from "./create-fake-platform.js";
import { codes, type FailureReason } from "./fake-failures.js";

const isFailure = (reason: string): reason is FailureReason => reason in codes;

const item = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };

describe("the fake platform", () => {
  function connected() {
    const platform = createFakePlatform();
    platform.putItem(item);
    const client = createPlatformClient(platform.options);
    const wait = (code: string | StartedDeviceAuthorization) => waitForDeviceAuthorization(client, code);
    return { platform, client, wait };
  }

  const proto = readFileSync(new URL("../../../../proto/platform/v1/error.proto", import.meta.url), "utf8");
  const reasons = [...proto.matchAll(/ERROR_REASON_(\w+) = [1-9]\d* [\s\S]*?code: CODE_(\w+)/g)];

  it.each(reasons.map(([, reason = "", code = ""]) => ({ reason, code })))(
    "fails with $reason and the code of the contract",
    async ({ reason, code }) => {
      if (!isFailure(reason)) return expect(reason).toBe("VERSION_CONFLICT");
      const { platform, client } = connected();
      platform.failNext(reason, { times: 4 });
      expect(await rejection(client.vault.deleteItem(item))).toMatchObject({ reason, code: code.toLowerCase() });
    },
  );

  it("limitDeletions: counts deletions as the platform does, until more are allowed", async () => {
    const { platform, client } = connected();
    platform.putItem({ ...item, itemId: "item-2" });
    platform.limitDeletions(1);
    const second = { ...item, itemId: "item-2" };
    await client.vault.deleteItem(item);
    await client.vault.deleteItem(item);
    const page = "https://platform.test/console/agents";
    expect(await rejection(client.vault.deleteItem(second))).toMatchObject({
      reason: "DELEGATION_EXHAUSTED",
      code: "permission_denied",
      retryable: false,
      detail: { allowed: 1, used: 1, page },
      message: expect.stringContaining(
        `The budget of deletions is used: 1 of 1. Ask the person who approved to give more at ${page}`,
      ),
    });
    platform.limitDeletions(2);
    expect((await client.vault.deleteItem(second)).item.deleted).toBe(true);
  });

  it("records the bodies of the requests", async () => {
    const { platform, client } = connected();
    await client.vault.deleteItem(item);
    expect(platform.calls).toMatchObject([{ operation: "DeleteItem", body: item }]);
  });

  it("SPEC section 5: accepts the tokens it issued until they expire", async () => {
    const { platform, wait } = connected();
    const { deviceCode } = platform.startDevice();
    platform.approveDevice();
    const session = await wait(deviceCode);
    const agent = createPlatformClient({ ...platform.options, token: session.token });
    expect((await agent.vault.deleteItem(item)).item.deleted).toBe(true);
    platform.clock.pass(900_000);
    expect((await rejection(agent.vault.deleteItem(item))).reason).toBe("UNAUTHENTICATED");
    const stranger = createPlatformClient({ ...platform.options, token: "fake-token-99" });
    expect((await rejection(stranger.vault.deleteItem(item))).reason).toBe("UNAUTHENTICATED");
  });

  it("the same answer to a device authorization has no effect, and another one throws", async () => {
    const { platform, wait } = connected();
    const already = (state: string) => `This device authorization is already ${state}. Start another`;
    platform.startDevice();
    platform.denyDevice();
    platform.denyDevice();
    expect(() => platform.approveDevice()).toThrow(already("denied"));
    const started = platform.startDevice();
    platform.approveDevice();
    platform.approveDevice();
    expect(() => platform.denyDevice()).toThrow(already("approved"));
    await wait(started);
    platform.approveDevice();
    expect(() => platform.denyDevice()).toThrow(already("consumed"));
    platform.startDevice();
    platform.clock.pass(600_000);
    expect(() => platform.approveDevice()).toThrow(already("expired"));
    expect(() => platform.approveDevice("pdc_none")).toThrow(RangeError);
  });
});
