import { Code, ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  ErrorReasonSchema,
  RetryInfoSchema,
  VersionConflictSchema,
} from "@platform-rpc/types";
import { describe, expect, expectTypeOf, it } from "vitest";
import { entries } from "../fixtures/entries.js";
import { serve } from "../fixtures/http-server.js";
import { rejection } from "../fixtures/rejection.js";
import { deletedItem, rpcError, serveStock } from "../fixtures/stock-server.js";
import { isPlatformError, type PlatformErrorReason } from "../index.js";

describe.each(entries)("$entry", ({ createPlatformClient }) => {
  const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 3 };

  /** The errors of both operations when the server rejects them. */
  async function errorsOf(error: Error) {
    const fail = () => {
      throw error;
    };
    const baseUrl = await serveStock({ deleteItem: fail, exchange: fail });
    const client = createPlatformClient({ baseUrl, token: "token-1", retry: false });
    const exchange = (options = {}) =>
      rejection(client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: "pdc_1" }, options));
    return {
      idempotent: await rejection(client.vault.deleteItem(request)),
      withKey: await exchange({ idempotencyKey: "key-of-the-caller" }),
      withoutKey: await exchange(),
    };
  }

  const codes = Object.values(Code).filter((code) => typeof code !== "string");
  const reasons = ErrorReasonSchema.values
    .filter(({ number }) => number !== 0)
    // The code that comes with a reason is kept.
    .map(({ localName: reason }, index) => ({ reason, code: codes[index % codes.length] ?? Code.Unknown }))
    .filter(({ reason }) => reason !== "VERSION_CONFLICT" && reason !== "DELEGATION_EXHAUSTED");

  describe("an error body of the platform (DECISIONS section 6)", () => {
    it.each(reasons)("$reason keeps its reason, code and request id", async ({ reason, code }) => {
      const { idempotent } = await errorsOf(rpcError(code, reason, [], "The state has changed."));
      expect(idempotent).toMatchObject({
        name: "PlatformError",
        reason,
        code: codeToString(code),
        requestId: "request-of-the-server",
        message: expect.stringMatching(
          `^${reason}: The state has changed\\. Request request-of-the-server\\. http://[^/]+/docs/errors/${reason}$`,
        ),
        docsUrl: expect.stringMatching(`^http://[^/]+/docs/errors/${reason}$`),
        violations: [],
        detail: undefined,
      });
    });

    it("VERSION_CONFLICT has the current state of the item", async () => {
      const detail = {
        desc: VersionConflictSchema,
        value: {
          itemId: "item-1",
          baseVersion: 3,
          currentVersion: 7,
          deleted: true,
          cursor: { vaultId: "vault-1", sequence: 9 },
        },
      };
      const { idempotent } = await errorsOf(rpcError(Code.Aborted, "VERSION_CONFLICT", [detail]));
      if (!isPlatformError(idempotent, "VERSION_CONFLICT")) return expect.unreachable("another reason");
      expectTypeOf(idempotent.detail.cursor.sequence).toEqualTypeOf<number>();
      expect(idempotent.detail).toMatchObject(detail.value);
      expect(idempotent.retryable).toBe(false);
    });

    it("VERSION_CONFLICT without its detail is a MALFORMED_RESPONSE", async () => {
      const { idempotent } = await errorsOf(rpcError(Code.Aborted, "VERSION_CONFLICT"));
      expect(idempotent).toMatchObject({ reason: "MALFORMED_RESPONSE", retryable: false });
    });

    const exhausted = (metadata: Readonly<Record<string, string>>) => {
      const value = { reason: "DELEGATION_EXHAUSTED", domain: "platform.v1", metadata };
      return errorsOf(new ConnectError("No.", Code.PermissionDenied, {}, [{ desc: ErrorInfoSchema, value }]));
    };

    it.each([{ page: "https://accounts.example/account" }, {}])(
      "DELEGATION_EXHAUSTED has the budget, and the page if the server has one: %j",
      async (more) => {
        const { idempotent } = await exhausted({ requestId: "r-1", allowed: "10", used: "12", ...more });
        if (!isPlatformError(idempotent, "DELEGATION_EXHAUSTED")) return expect.unreachable("another reason");
        expectTypeOf(idempotent.detail.page).toEqualTypeOf<string>();
        expect(idempotent.detail).toEqual({ allowed: 10, used: 12, page: more.page ?? "" });
        expect(idempotent.retryable).toBe(false);
      },
    );

    it.each([{}, { allowed: "10" }, { allowed: "ten", used: "1" }, { allowed: "10", used: "[]" }])(
      "DELEGATION_EXHAUSTED with the metadata %j is a MALFORMED_RESPONSE",
      async (metadata) => {
        const { idempotent } = await exhausted(metadata);
        expect(idempotent).toMatchObject({ reason: "MALFORMED_RESPONSE", retryable: false });
      },
    );

    it("INVALID_FIELD names every field", async () => {
      const fieldViolations = [
        { field: "vaultId", description: "is required" },
        { field: "Idempotency-Key", description: "must be 16 to 128 visible ASCII characters" },
      ];
      const { idempotent } = await errorsOf(
        rpcError(Code.InvalidArgument, "INVALID_FIELD", [{ desc: BadRequestSchema, value: { fieldViolations } }]),
      );
      expect(idempotent.violations).toEqual(fieldViolations);
    });

    it("keeps a reason of a newer server, with its code and retry info", async () => {
      const retry = { desc: RetryInfoSchema, value: { retryDelay: { seconds: 2n, nanos: 0 } } };
      const { idempotent } = await errorsOf(rpcError(Code.Unavailable, "SOMETHING_NEW", [retry], "New."));
      expect(idempotent).toMatchObject({
        reason: "SOMETHING_NEW",
        code: "unavailable",
        retryable: true,
        retryAfterMs: 2_000,
        docsUrl: expect.stringMatching("^http://[^/]+/docs/errors/SOMETHING_NEW$"),
      });
    });

    it("a reason of a newer server is retryable when the server sends a retry delay", async () => {
      const retry = { desc: RetryInfoSchema, value: { retryDelay: { seconds: 2n, nanos: 0 } } };
      const { idempotent, withoutKey } = await errorsOf(rpcError(Code.ResourceExhausted, "SOMETHING_NEW", [retry]));
      expect([idempotent.retryable, withoutKey.retryable]).toEqual([true, false]);
    });

    it.each(["***", 5, undefined])("reads a detail from its JSON, whatever its bytes are: %j", async (value) => {
      const info = { reason: "ITEM_NOT_FOUND", domain: "platform.v1", metadata: {} };
      const details = [{ type: "google.rpc.ErrorInfo", value, debug: info }];
      const baseUrl = await serve((_, response) =>
        response
          .writeHead(404, { "Content-Type": "application/json" })
          .end(JSON.stringify({ code: "not_found", message: "No.", details })),
      );
      const client = createPlatformClient({ baseUrl, token: "token-1" });
      expect(await rejection(client.vault.deleteItem(request))).toMatchObject({ reason: "ITEM_NOT_FOUND" });
    });

    it.each(["not a reason", "toString", ""])("%j is not a reason: the error keeps its code", async (reason) => {
      const { idempotent } = await errorsOf(rpcError(Code.Internal, reason));
      expect(idempotent).toMatchObject({ reason: undefined, code: "internal" });
    });
  });

  describe("retryAfterMs", () => {
    it.each([
      { delay: { seconds: 3n, nanos: 0 }, ms: 3_000 },
      { delay: { seconds: 1n, nanos: 500_000_000 }, ms: 1_500 },
      { delay: { seconds: -3n, nanos: 0 }, ms: undefined },
    ])("is $ms for the delay $delay.seconds s $delay.nanos ns", async ({ delay, ms }) => {
      const retry = { desc: RetryInfoSchema, value: { retryDelay: delay } };
      const { idempotent } = await errorsOf(rpcError(Code.ResourceExhausted, "RATE_LIMITED", [retry]));
      expect(idempotent.retryAfterMs).toBe(ms);
    });

    it.each([
      { header: "7", ms: 7_000 },
      { header: "0", ms: 0 },
      { header: "Wed, 21 Oct 2026 07:28:07 GMT", ms: undefined },
      { header: "soon", ms: undefined },
    ])(
      "is $ms for the header Retry-After: $header (RFC 9110 section 10.2.3): seconds, no dates",
      async ({ header, ms }) => {
        const baseUrl = await serve((_, response) =>
          response.writeHead(503, { "Retry-After": header, Date: "Wed, 21 Oct 2026 07:28:00 GMT" }).end("<html>"),
        );
        const client = createPlatformClient({ baseUrl, token: "token-1", retry: false });
        const error = await rejection(client.vault.deleteItem(request));
        expect(error).toMatchObject({ reason: "MALFORMED_RESPONSE", code: "unavailable" });
        expect(error.retryAfterMs).toBe(ms);
      },
    );

    it("is undefined when the server sends no delay", async () => {
      const { idempotent } = await errorsOf(rpcError(Code.ResourceExhausted, "REQUEST_TOO_LARGE"));
      expect(idempotent.retryAfterMs).toBeUndefined();
    });
  });

  describe("retryable follows from the code and from the retry safety of the operation", () => {
    it.each([
      { code: Code.DeadlineExceeded, reason: "REQUEST_TIMEOUT", retryable: [true, true, false] },
      // The outcome is not known: only a call that takes effect once may.
      { code: Code.Unavailable, reason: "UNAVAILABLE", retryable: [true, true, false] },
      { code: Code.DeadlineExceeded, reason: "DEADLINE_EXCEEDED", retryable: [true, true, false] },
      // The same call would fail the same way.
      { code: Code.ResourceExhausted, reason: "REQUEST_TOO_LARGE", retryable: [false, false, false] },
      { code: Code.Internal, reason: "INTERNAL", retryable: [false, false, false] },
      { code: Code.NotFound, reason: "ITEM_NOT_FOUND", retryable: [false, false, false] },
      { code: Code.Canceled, reason: "CANCELED", retryable: [false, false, false] },
      { code: Code.FailedPrecondition, reason: "DEVICE_CODE_CONSUMED", retryable: [false, false, false] },
    ])("$reason: idempotent, with the caller's key, without: $retryable", async ({ code, reason, retryable }) => {
      const { idempotent, withKey, withoutKey } = await errorsOf(rpcError(code, reason));
      expect([idempotent, withKey, withoutKey].map((error) => error.retryable)).toEqual(retryable);
    });
  });

  describe("isPlatformError", () => {
    it("narrows, so that a switch over reason is exhaustive", async () => {
      const { idempotent } = await errorsOf(rpcError(Code.NotFound, "ITEM_NOT_FOUND"));
      switch (idempotent.reason) {
        case "VERSION_CONFLICT":
          expectTypeOf(idempotent.detail.currentVersion).toEqualTypeOf<number>();
          break;
        case "ITEM_NOT_FOUND":
          expectTypeOf(idempotent.detail).toEqualTypeOf<undefined>();
          break;
      }
      expectTypeOf(idempotent.reason).toEqualTypeOf<PlatformErrorReason | undefined>();
      expect(isPlatformError(idempotent, "ITEM_NOT_FOUND")).toBe(true);
      expect(isPlatformError(idempotent, "VAULT_NOT_FOUND")).toBe(false);
    });

    it("is false for a result", async () => {
      const baseUrl = await serveStock({ deleteItem: () => deletedItem });
      const client = createPlatformClient({ baseUrl, token: "token-1" });
      expect(isPlatformError(await client.vault.deleteItem(request))).toBe(false);
    });
  });
});
