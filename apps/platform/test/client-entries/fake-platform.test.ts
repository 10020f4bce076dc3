import { createPlatformClient, isPlatformError } from "@platform-rpc/client";
import { createPlatformClient as createJsonClient } from "@platform-rpc/client/json";
import { createFakePlatform } from "@platform-rpc/client/testing";
import { afterAll, describe, expect, it } from "vitest";
import { hostPlatform } from "../../src/testing/hosted-platform.js";

const platform = await hostPlatform();
afterAll(() => platform.end());

const item = { vaultId: "none", itemId: "item-1", baseVersion: 1 };
const key = "0123456789abcdef";

/** Requests that both platforms reject. */
const invalidRequests = [
  { what: "an empty request", request: { vaultId: "", itemId: "", baseVersion: 0 } },
  { what: "an id with a space", request: { ...item, itemId: "item 1" } },
  { what: "an id over 128 characters", request: { ...item, itemId: "i".repeat(129) } },
];
const codes = [
  { what: "no device code", deviceCode: "", idempotencyKey: key },
  { what: "a device code over 256 characters", deviceCode: "x".repeat(257), idempotencyKey: key },
  { what: "a long Idempotency-Key", deviceCode: "", idempotencyKey: "k".repeat(129) },
  { what: "two violations", deviceCode: "x".repeat(257), idempotencyKey: "short" },
];
/** Values that only the entry in plain JSON sends. */
const mistyped = [
  { field: "vaultId", value: 5 },
  { field: "vaultId", value: "\ud800" },
  { field: "baseVersion", value: 1.5 },
  { field: "baseVersion", value: 2 ** 33 },
];

describe("the fake platform of @platform-rpc/client/testing rejects requests with the same errors as the real one", () => {
  const real = () => ({ baseUrl: platform.baseUrls.listener, token: platform.token });
  const clients = () => [real(), createFakePlatform().options].map((options) => createPlatformClient(options));
  const rejection = async (call: Promise<unknown>) => {
    const error = await call.then(() => undefined).catch((thrown: unknown) => thrown);
    if (!isPlatformError(error)) return expect.unreachable("no PlatformError");
    return { reason: error.reason, code: error.code, violations: error.violations };
  };

  it.each(invalidRequests)("$what", async ({ request }) => {
    const [expected, fake] = await Promise.all(clients().map((client) => rejection(client.vault.deleteItem(request))));
    expect(fake).toEqual(expected);
  });

  it.each(mistyped)("the $field $value", async ({ field, value }) => {
    const jsonClients = [real(), createFakePlatform().options].map((options) => createJsonClient(options));
    const request = [{ ...item, [field]: value }];
    const [expected, fake] = await Promise.all(
      jsonClients.map(({ vault: { deleteItem } }) => rejection(Reflect.apply(deleteItem, undefined, request))),
    );
    expect(fake).toEqual(expected);
    expect(fake?.violations).toMatchObject([{ field }]);
  });

  it.each(codes)("$what", async ({ deviceCode, idempotencyKey }) => {
    const [expected, fake] = await Promise.all(
      clients().map(({ identityGateway }) =>
        rejection(identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode }, { idempotencyKey })),
      ),
    );
    expect(fake).toEqual(expected);
  });
});
