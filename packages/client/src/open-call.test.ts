import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { entries } from "./fixtures/entries.js";
import { rejection } from "./fixtures/rejection.js";

describe.each(entries)("$entry", ({ createPlatformClient }) => {
  const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 3 };

  describe("options and requests that are not acceptable are not sent", () => {
    const unsent = () =>
      createPlatformClient({
        baseUrl: "https://api.example.com",
        token: () => expect.unreachable("a token was asked for"),
        fetch: () => expect.unreachable("the call was sent"),
      });

    it.each([0, -1, 0.5, Number.NaN, 2 ** 31])("timeoutMs %d", async (timeoutMs) => {
      const error = await rejection(unsent().vault.deleteItem(request, { timeoutMs }));
      expect(error).toMatchObject({ reason: "INVALID_TIMEOUT", code: "invalid_argument" });
    });

    it.each(["short", "x".repeat(15), "x".repeat(129), "with a space in it", "ключ-ключ-ключ-ключ"])(
      "Idempotency-Key %j",
      async (idempotencyKey) => {
        const call = unsent().identityGateway.exchangeMcpOauthDeviceAuthorization;
        expect(await rejection(call({ deviceCode: "pdc_1" }, { idempotencyKey }))).toMatchObject({
          reason: "INVALID_FIELD",
          violations: [{ field: "Idempotency-Key" }],
        });
      },
    );

    it("headers that cannot be sent are not repeated", async () => {
      const error = await rejection(unsent().vault.deleteItem(request, { headers: { "X-Bad": "canary\u0000" } }));
      expect(error).toMatchObject({ reason: "INVALID_FIELD", violations: [{ field: "headers" }] });
      expect(inspect(error)).not.toContain("canary");
    });

    it.each([
      { field: "baseVersion", value: -1 },
      { field: "baseVersion", value: 4_294_967_296 },
      { field: "baseVersion", value: "canary" },
      { field: "vaultId", value: { canary: true } },
    ])("$field = $value names the field, and does not repeat the value", async ({ field, value }) => {
      const error = await rejection(unsent().vault.deleteItem({ ...request, ...{ [field]: value } }));
      expect(error).toMatchObject({ reason: "INVALID_FIELD", violations: [{ field }] });
      expect(error.message).toContain(`The call was not sent. ${field} does not have the type`);
      expect(inspect(error)).not.toContain("canary");
    });
  });
});
