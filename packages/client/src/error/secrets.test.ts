import { inspect } from "node:util";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, VersionConflictSchema } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { entries } from "../fixtures/entries.js";
import { serve } from "../fixtures/http-server.js";
import { rejection } from "../fixtures/rejection.js";
import { deletedItem, rpcError, serveStock } from "../fixtures/stock-server.js";
import type { PlatformError } from "../index.js";

describe.each(entries)("$entry", ({ createPlatformClient }) => {
  const canaries = {
    token: "canary-token-0123456789",
    deviceCode: "pdc_canary-device-code-0123456789",
    idempotencyKey: "canary-idempotency-key",
  };
  const all = Object.values(canaries);

  /** Everything that a program can print of an error. */
  function printed(error: PlatformError): string {
    return [
      String(error),
      error.message,
      error.stack,
      JSON.stringify(error),
      inspect(error, { depth: null, showHidden: true }),
      inspect(Object.getOwnPropertyDescriptors(error), { depth: null }),
    ].join("\n");
  }

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

  const answering = (status: number, body: unknown, headers: Record<string, string> = {}): Promise<string> =>
    serve((_, response) =>
      response
        .writeHead(status, { "Content-Type": "application/json", ...headers })
        .end(typeof body === "string" ? body : JSON.stringify(body)),
    );

  /** Servers that repeat a secret in one place of their answer. */
  const places: { place: string; repeating: (secret: string) => Promise<string> }[] = [
    {
      place: "the message of an error",
      repeating: (secret) => throwing(rpcError(Code.NotFound, "ITEM_NOT_FOUND", [], `not ${secret}.`)),
    },
    { place: "the reason of an error", repeating: (secret) => throwing(rpcError(Code.NotFound, secret)) },
    {
      place: "the request id of an error",
      repeating: (secret) => throwing(rpcError(Code.NotFound, "ITEM_NOT_FOUND", [], "No.", secret)),
    },
    {
      place: "the field of a violation",
      repeating: (secret) => throwing(rpcError(Code.InvalidArgument, "INVALID_FIELD", [violation(secret, "is wrong")])),
    },
    {
      place: "the description of a violation",
      repeating: (secret) => throwing(rpcError(Code.InvalidArgument, "INVALID_FIELD", [violation("vaultId", secret)])),
    },
    {
      place: "the item of a conflict",
      repeating: (secret) => throwing(rpcError(Code.Aborted, "VERSION_CONFLICT", [conflict(secret, "vault-1")])),
    },
    {
      place: "the cursor of a conflict",
      repeating: (secret) => throwing(rpcError(Code.Aborted, "VERSION_CONFLICT", [conflict("item-1", secret)])),
    },
    { place: "an error without a reason", repeating: (secret) => throwing(new ConnectError(secret, Code.Internal)) },
    { place: "a field of another type", repeating: (secret) => answering(200, { status: [secret], item: [secret] }) },
    { place: "broken JSON", repeating: (secret) => answering(200, secret) },
    { place: "an error body without code and details", repeating: (secret) => answering(500, secret) },
    { place: "a page", repeating: (secret) => answering(502, secret, { "Content-Type": "text/html" }) },
    { place: "the content type", repeating: (secret) => answering(200, {}, { "Content-Type": `text/${secret}` }) },
    { place: "the request id of an answer", repeating: (secret) => answering(200, {}, { "X-Request-Id": secret }) },
    { place: "the request id of a page", repeating: (secret) => answering(500, {}, { "X-Request-Id": secret }) },
  ];

  const violation = (field: string, description: string) => ({
    desc: BadRequestSchema,
    value: { fieldViolations: [{ field, description }] },
  });
  const conflict = (itemId: string, vaultId: string) => ({
    desc: VersionConflictSchema,
    value: { itemId, currentVersion: 2, cursor: { vaultId, sequence: 1 } },
  });

  describe.each(places)("a server that repeats a secret in $place", ({ repeating }) => {
    it.each(Object.entries(canaries))("no error contains the %s", async (name, canary) => {
      const { exchange, deletion } = await errorsFrom(await repeating(canary));
      expect(printed(exchange)).not.toContain(canary);
      if (name === "token") expect(printed(deletion)).not.toContain(canary);
      expect(exchange.requestId).not.toBe("");
    });
  });

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

    it("a request that cannot be encoded", async () => {
      const client = createPlatformClient({ baseUrl: await answering(500, {}), token: canaries.token });
      const exchange = client.identityGateway.exchangeMcpOauthDeviceAuthorization;
      const error = await rejection(Reflect.apply(exchange, undefined, [{ deviceCode: [canaries.deviceCode] }]));
      expect(printed(error)).not.toContain(canaries.deviceCode);
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
