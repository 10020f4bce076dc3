import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema, VersionConflictSchema } from "@platform-rpc/types";
import { describe, expect, expectTypeOf, it } from "vitest";
import { entries } from "../../src/fixtures/entries.js";
import { rejection } from "../../src/fixtures/rejection.js";
import { isPlatformError, type PlatformErrorReason } from "../../src/index.js";
import { serve } from "../fixtures/http-server.js";
import { rpcError, serveStock } from "../fixtures/stock-server.js";

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

  describe("an error body of the platform (DECISIONS section 6)", () => {
    it("keeps its reason, code and request id", async () => {
      // The code that comes with a reason is kept, also one that the contract does not define for it.
      const { idempotent } = await errorsOf(rpcError(Code.DataLoss, "ITEM_NOT_FOUND", [], "The state has changed."));
      expect(idempotent).toMatchObject({
        name: "PlatformError",
        reason: "ITEM_NOT_FOUND",
        code: "data_loss",
        requestId: "request-of-the-server",
        message: expect.stringMatching(
          /^ITEM_NOT_FOUND: The state has changed\. Request request-of-the-server\. http:\/\/[^/]+\/docs\/errors\/ITEM_NOT_FOUND$/,
        ),
        docsUrl: expect.stringMatching(/^http:\/\/[^/]+\/docs\/errors\/ITEM_NOT_FOUND$/),
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

    it.each(["not a reason", "toString", ""])("%j is not a reason: the error keeps its code", async (reason) => {
      const { idempotent } = await errorsOf(rpcError(Code.Internal, reason));
      expect(idempotent).toMatchObject({ reason: undefined, code: "internal" });
    });

    it("the ErrorInfo of another domain is no reason of the platform", async () => {
      const value = { reason: "ITEM_NOT_FOUND", domain: "elsewhere" };
      const details = [{ desc: ErrorInfoSchema, value }];
      const { idempotent } = await errorsOf(new ConnectError("No.", Code.NotFound, {}, details));
      expect(idempotent).toMatchObject({ reason: undefined, code: "not_found" });
    });
  });

  describe("retryAfterMs", () => {
    it.each([
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
      { header: "Wed, 21 Oct 2026 07:28:07 GMT", ms: 7_000 },
      { header: "Wednesday, 21-Oct-26 07:28:07 GMT", ms: 7_000 },
      { header: "Wed Oct 21 07:28:07 2026", ms: 7_000 },
      { header: "Thu Oct  1 07:28:07 2026", ms: 0 },
      { header: "Friday, 21-Oct-94 07:28:07 GMT", ms: 0 },
      { header: "Wednesday, 21-Oct-76 07:28:07 GMT", ms: Date.UTC(2076, 9, 21) - Date.UTC(2026, 9, 21) + 7_000 },
      { header: "Wed, 32 Oct 2026 07:28:07 GMT", ms: undefined },
      { header: "2026-10-21T07:28:07Z", ms: undefined },
      { header: "-7", ms: undefined },
    ])("is $ms for the header Retry-After: $header (RFC 9110 section 10.2.3)", async ({ header, ms }) => {
      const baseUrl = await serve((_, response) =>
        response.writeHead(503, { "Retry-After": header, Date: "Wed, 21 Oct 2026 07:28:00 GMT" }).end("<html>"),
      );
      const client = createPlatformClient({ baseUrl, token: "token-1", retry: false });
      const error = await rejection(client.vault.deleteItem(request));
      expect(error).toMatchObject({ reason: "MALFORMED_RESPONSE", code: "unavailable" });
      expect(error.retryAfterMs).toBe(ms);
    });
  });

  describe("details without debug, which Connect makes optional, are decoded from their value", () => {
    const detail = <Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>) => ({
      type: schema.typeName,
      value: Buffer.from(toBinary(schema, create(schema, init))).toString("base64"),
    });
    const info = (reason: string, metadata = {}) =>
      detail(ErrorInfoSchema, { reason, domain: "platform.v1", metadata: { requestId: "r-1", ...metadata } });
    const violated = (description: string) =>
      detail(BadRequestSchema, { fieldViolations: [{ field: "a", description }, { field: "b" }] });
    const cursor = { vaultId: "vault-1", sequence: 300 };
    const conflict = { itemId: "item-1", baseVersion: 3, currentVersion: 4_294_967_295, deleted: true, cursor };
    const retryDelay = { seconds: 1n, nanos: 500_000_000 };
    const secret = "a-token-that-no-error-may-show";

    const errorOf = async (...details: readonly object[]) => {
      const fetch = async () => Response.json({ code: "aborted", message: "No.", details }, { status: 409 });
      const options = { baseUrl: "https://api.example.com", token: secret, retry: false, fetch } as const;
      return rejection(createPlatformClient(options).vault.deleteItem(request));
    };

    it.each([/$/, /=+$/])("in base64 without %s", async (padding) => {
      const all = [
        info("VERSION_CONFLICT"),
        detail(VersionConflictSchema, conflict),
        detail(RetryInfoSchema, { retryDelay }),
        violated("is wrong"),
      ].map(({ type, value }) => ({ type, value: value.replace(padding, "") }));
      const violations = [
        { field: "a", description: "is wrong" },
        { field: "b", description: "" },
      ];
      const expected = { reason: "VERSION_CONFLICT", retryAfterMs: 1_500, detail: conflict, violations };
      expect(await errorOf(...all)).toMatchObject(expected);
      const budget = { allowed: "10", used: "12", page: "" };
      expect((await errorOf(info("DELEGATION_EXHAUSTED", budget))).detail).toEqual({ allowed: 10, used: 12, page: "" });
    });

    // No base64, a text that is cut off, a negative length, an endless integer, a group, an integer in place of a text.
    it.each(["?", "Cv8=", "Cv///////////wE=", "/////////////////w==", "Cw==", "CAE="])("ignores %s", async (value) => {
      const expected = { reason: undefined, code: "aborted" };
      expect(await errorOf({ ...info("ITEM_NOT_FOUND"), value })).toMatchObject(expected);
    });

    it("shows no secret of the call in them, and escapes controls", async () => {
      expect((await errorOf(violated(`is not ${secret}`))).violations[0]?.description).toBe("[redacted]");
      expect((await errorOf(violated("\u001b[2J"))).violations[0]?.description).toBe("\\u001b[2J");
    });
  });

  describe("retryable follows from the code and from the retry safety of the operation", () => {
    it.each([
      { code: Code.DeadlineExceeded, reason: "REQUEST_TIMEOUT", retryable: [true, true, false] },
      // The outcome is not known: only a call that takes effect once may.
      { code: Code.Unavailable, reason: "UNAVAILABLE", retryable: [true, true, false] },
      // The same call would fail the same way.
      { code: Code.ResourceExhausted, reason: "REQUEST_TOO_LARGE", retryable: [false, false, false] },
      { code: Code.Internal, reason: "INTERNAL", retryable: [false, false, false] },
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
  });
});
