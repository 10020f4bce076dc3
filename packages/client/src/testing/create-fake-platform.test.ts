import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { rejection } from "../fixtures/rejection.js";
import { createPlatformClient, type StartedDeviceAuthorization, waitForDeviceAuthorization } from "../index.js";
import { createPlatformClient as createJsonClient } from "../json/index.js";
import { createFakePlatform } from "./create-fake-platform.js";
import { codes, type FailureReason } from "./fake-failures.js";

const isFailure = (reason: string): reason is FailureReason => reason in codes;

const item = { vaultId: "vault-1", itemId: "item-1", baseVersion: 1 };

describe("the fake platform follows the specification", () => {
  function connected() {
    const platform = createFakePlatform();
    platform.putItem(item);
    const client = createPlatformClient(platform.options);
    const wait = (code: string | StartedDeviceAuthorization) => waitForDeviceAuthorization(client, code);
    return { platform, client, wait };
  }

  it.each([
    { what: "an item that does not exist", request: { ...item, itemId: "none" }, reason: "ITEM_NOT_FOUND" },
    { what: "a vault that does not exist", request: { ...item, vaultId: "none" }, reason: "VAULT_NOT_FOUND" },
    { what: "another version", request: { ...item, baseVersion: 2 }, reason: "VERSION_CONFLICT" },
  ])("SPEC section 4.1: $what is $reason", async ({ request, reason }) => {
    const { client } = connected();
    expect((await rejection(client.vault.deleteItem(request))).reason).toBe(reason);
  });

  it("DECISIONS section 6: lists every required field that is missing", async () => {
    const { client } = connected();
    const { reason, violations } = await rejection(client.vault.deleteItem({ ...item, itemId: "", baseVersion: 0 }));
    expect([reason, violations.map(({ field }) => field)]).toEqual(["INVALID_FIELD", ["itemId", "baseVersion"]]);
    const exchange = client.identityGateway.exchangeMcpOauthDeviceAuthorization;
    expect((await rejection(exchange({ deviceCode: "" }))).violations).toMatchObject([{ field: "deviceCode" }]);
  });

  it.each([
    { field: "vaultId", value: "-vault" },
    { field: "itemId", value: "i".repeat(129) },
    { field: "itemId", value: "with space" },
  ])("rejects $field $value as the platform does", async ({ field, value }) => {
    const { client } = connected();
    const error = await rejection(client.vault.deleteItem({ ...item, [field]: value }));
    expect(error.violations).toEqual([{ field, description: expect.any(String) }]);
  });

  it.each([
    { field: "vaultId", value: 5 },
    { field: "vaultId", value: "\ud800" },
    { field: "baseVersion", value: 1.5 },
    { field: "baseVersion", value: -1 },
    { field: "baseVersion", value: 2 ** 33 },
  ])("rejects the $field $value of the /json entry as the platform does", async ({ field, value }) => {
    const { platform } = connected();
    const { deleteItem } = createJsonClient(platform.options).vault;
    const deleting = () => rejection(Reflect.apply(deleteItem, undefined, [{ ...item, [field]: value }]));
    const description = "has a value that does not fit its type";
    expect(await deleting()).toMatchObject({
      reason: "INVALID_FIELD",
      status: 400,
      violations: [{ field, description }],
    });
    platform.failNext("INSUFFICIENT_SCOPE");
    expect(await deleting()).toMatchObject({ reason: "INSUFFICIENT_SCOPE", status: 403 });
    expect((await deleting()).requestId).toBe(platform.calls.at(-1)?.requestId);
  });

  it("rejects a device code over 256 characters and a short Idempotency-Key", async () => {
    const { client } = connected();
    const { exchangeMcpOauthDeviceAuthorization: exchange } = client.identityGateway;
    const { violations } = await rejection(exchange({ deviceCode: "x".repeat(257) }, { idempotencyKey: "short" }));
    expect(violations.map(({ field }) => field)).toEqual(["deviceCode", "Idempotency-Key"]);
  });

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

  it("includes the missing scope in the message, as the platform does", async () => {
    const { platform, client } = connected();
    platform.failNext("INSUFFICIENT_SCOPE");
    expect((await rejection(client.vault.deleteItem(item))).message).toContain('scope="vault.items:delete"');
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

  it("expireToken also rejects the tokens of devices", async () => {
    const { platform, wait } = connected();
    const { deviceCode } = platform.startDevice();
    platform.approveDevice();
    const { token } = await wait(deviceCode);
    platform.expireToken();
    const agent = createPlatformClient({ ...platform.options, token });
    expect((await rejection(agent.vault.deleteItem(item))).reason).toBe("UNAUTHENTICATED");
  });

  it("RFC 8628: the user's decision is final, and every authorization has its own tokens", async () => {
    const { platform, wait } = connected();
    const [first, second, third] = [platform.startDevice(), platform.startDevice(), platform.startDevice()];
    platform.denyDevice(third.deviceCode);
    expect(() => platform.approveDevice(third.deviceCode)).toThrow("This device authorization is already denied.");
    expect(() => platform.approveDevice("pdc_none")).toThrow(RangeError);
    platform.approveDevice(first.deviceCode);
    platform.approveDevice(second.deviceCode);
    const sessions = [await wait(first), await wait(second)];
    expect(new Set(sessions.map(({ token }) => token.reveal())).size).toBe(2);
    expect(new Set(sessions.map(({ brokerToken }) => brokerToken.tokenId)).size).toBe(2);
    expect((await rejection(wait(third))).reason).toBe("ACCESS_DENIED");
  });

  it("without autoAdvance, a wait continues only when the test advances the clock", async () => {
    const platform = createFakePlatform({ autoAdvance: false });
    const client = createPlatformClient(platform.options);
    const waiting = waitForDeviceAuthorization(client, platform.startDevice());
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(platform.calls).toEqual([]);
    platform.approveDevice();
    platform.clock.pass(5_250);
    expect((await waiting).brokerToken.role).toBe("agent");
  });
});

const operationPath = "/platform.v1.VaultService/DeleteItem";

it("the fake platform says in one sentence that it does not know an operation", async () => {
  const { options } = createFakePlatform();
  const init = { method: "POST", body: "{}", headers: { "X-Request-Id": "request-1" } };
  const answer = await options.fetch("https://platform.test/platform.internal.v1.ItemService/GetItem", init);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({
    code: "unimplemented",
    message: expect.stringMatching(
      new RegExp(
        `^The fake platform has no operation at /platform.internal.v1.ItemService/GetItem, only ${operationPath} and .*\\.$`,
      ),
    ),
    details: [{ debug: { reason: "OPERATION_UNKNOWN", domain: "platform.v1" } }],
  });
});
