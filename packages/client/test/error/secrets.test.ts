import { Code } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { entries } from "../../src/fixtures/entries.js";
import { rejection } from "../../src/fixtures/rejection.js";
import { deletedItem, rpcError, serveStock } from "../fixtures/stock-server.js";

describe.each(entries)("$entry", ({ createPlatformClient }) => {
  const canaries = {
    token: "canary-token-0123456789",
    deviceCode: "pdc_canary-device-code-0123456789",
    idempotencyKey: "canary-idempotency-key",
  };
  const all = Object.values(canaries);

  /** The errors of an exchange and of a deletion with the same token. */
  async function errorsFrom(baseUrl: string, token: () => string = () => canaries.token) {
    const client = createPlatformClient({ baseUrl, token, retry: false });
    const { deviceCode, idempotencyKey } = canaries;
    return {
      exchange: await rejection(
        client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode }, { idempotencyKey }),
      ),
      deletion: await rejection(client.vault.deleteItem({ vaultId: "vault-1", itemId: "item-1", baseVersion: 1 })),
    };
  }

  const throwing = (error: Error) => {
    const fail = () => {
      throw error;
    };
    return serveStock({ deleteItem: fail, exchange: fail });
  };

  describe("no error contains", () => {
    it("what a token provider throws, except as its cause", async () => {
      const secrets = all.join(" ");
      const token = () => {
        throw Object.assign(new Error(secrets, { cause: secrets }), { config: secrets, code: secrets });
      };
      const { exchange, deletion } = await errorsFrom("https://api.example.com", token);
      for (const error of [exchange, deletion]) {
        expect(error.reason).toBe("TOKEN_UNAVAILABLE");
        // Only the cause, which is the caller's own.
        expect(error.cause).toMatchObject({ message: secrets });
        const texts = [error.message, error.stack, JSON.stringify(error), String(error)].join("\n");
        for (const canary of all) expect(texts).not.toContain(canary);
      }
    });
  });

  describe("texts without a secret stay readable:", () => {
    it("the reason and the request id of an error whose message is redacted", async () => {
      const repeating = rpcError(Code.NotFound, "DEVICE_CODE_INVALID", [], `not ${canaries.deviceCode}.`);
      const { exchange, deletion } = await errorsFrom(await throwing(repeating));
      expect(exchange.message).toMatch(/^DEVICE_CODE_INVALID: \[redacted\] Request request-of-the-server\. http:/);
      expect(deletion.message).toContain("not pdc_");
    });

    it("an error, when a short word was sent as the device code", async () => {
      const baseUrl = await throwing(rpcError(Code.NotFound, "DEVICE_CODE_INVALID"));
      const client = createPlatformClient({ baseUrl, token: canaries.token });
      const { exchangeMcpOauthDeviceAuthorization: exchange } = client.identityGateway;
      for (const deviceCode of ["not", "v1", "platform", "DEVICE", "ErrorInfo"]) {
        expect((await rejection(exchange({ deviceCode }))).reason).toBe("DEVICE_CODE_INVALID");
      }
    });

    it("the request id of a result is never a token", async () => {
      const baseUrl = await serveStock({
        deleteItem: (_, { responseHeader }) => {
          responseHeader.set("X-Request-Id", canaries.token);
          return deletedItem;
        },
      });
      const client = createPlatformClient({ baseUrl, token: canaries.token });
      const result = await client.vault.deleteItem({ vaultId: "vault-1", itemId: "item-1", baseVersion: 1 });
      expect(result.requestId).toBe("[redacted]");
    });
  });
});
