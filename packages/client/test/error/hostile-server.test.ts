import type { RequestListener } from "node:http";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { entries } from "../../src/fixtures/entries.js";
import { rejection } from "../../src/fixtures/rejection.js";
import { recordTelemetry } from "../../src/fixtures/telemetry.js";
import type { Hooks } from "../../src/index.js";
import { openTelemetry } from "../../src/otel/index.js";
import { serve } from "../fixtures/http-server.js";

const token = "canary-token-0123456789";
const deviceCode = "pdc_canary-device-code-0123456789";
const idempotencyKey = "canary-idempotency-key";

const info = (reason: unknown, more = {}) => ({
  type: "google.rpc.ErrorInfo",
  value: token,
  debug: { reason, domain: "platform.v1", metadata: { requestId: "r-1", [token]: token }, [token]: [token], ...more },
});
const conflict = { itemId: "item-1", baseVersion: 3, currentVersion: 7, deleted: true };
const cursor = { vaultId: "vault-1", sequence: 9 };
const detail = (type: string, debug: unknown) => ({ type, value: token, debug, [token]: token });

const violating = (fieldViolations: unknown) => detail("google.rpc.BadRequest", { fieldViolations });
const conflicting = (more: object) => detail("platform.v1.VersionConflict", { ...conflict, cursor, ...more });
const body = (code: unknown, ...details: unknown[]) => ({ code, details });

/** Error bodies that repeat the token, mostly as the name of a member. */
const echoes: readonly (readonly [name: string, body: Record<string, unknown>])[] = [
  ["members of a conflict", body("aborted", info("VERSION_CONFLICT"), conflicting({ [token]: { [token]: token } }))],
  [
    "members of the cursor of a conflict",
    body("aborted", info("VERSION_CONFLICT"), conflicting({ cursor: { ...cursor, [token]: token } })),
  ],
  [
    "members of a violation",
    body(
      "invalid_argument",
      info("INVALID_FIELD"),
      violating([{ field: "vaultId", description: "is required", [token]: token }]),
    ),
  ],
  ["members of the code", body({ [token]: 1 }, info("ITEM_NOT_FOUND"))],
  ["a code", body(token, info("ITEM_NOT_FOUND"))],
  ["members of the message", { ...body("not_found", info("ITEM_NOT_FOUND")), message: { [token]: 1 } }],
  ["members of the reason", body("not_found", info({ [token]: 1 }))],
  [
    "a delay that cannot be printed",
    body("unavailable", info("UNAVAILABLE"), detail("google.rpc.RetryInfo", { retryDelay: { toString: token } })),
  ],
  [
    "a token with an escape in it",
    { ...body("not_found", info("ITEM_NOT_FOUND")), message: `${token.slice(0, 9)}\u001b${token.slice(9)}` },
  ],
  [
    "the prototype",
    JSON.parse(`{"code":"aborted","details":[{"debug":{"__proto__":{"${token}":1,"domain":"platform.v1"}}}]}`),
  ],
  ["details in details", body("aborted", [[{ [token]: [info("VERSION_CONFLICT")] }]], token)],
  ["details that are an object", { ...body("aborted"), details: { [token]: info("ITEM_NOT_FOUND") } }],
  [
    "the texts of a violation",
    body("invalid_argument", info("INVALID_FIELD"), violating([{ field: token, description: `is not ${token}` }])),
  ],
  [
    "the ids of a conflict",
    body("aborted", info("VERSION_CONFLICT"), conflicting({ itemId: token, cursor: { ...cursor, vaultId: token } })),
  ],
  [
    "the message of a conflict",
    { ...body("aborted", info("VERSION_CONFLICT"), conflicting({})), message: `not ${token}.` },
  ],
  ["a reason", body("not_found", info(token))],
  ["an error without a reason", { code: "internal", message: token }],
];

/** Bodies that are no error of the contract. */
const nonsense: readonly (readonly [name: string, body: string, type: string])[] = [
  ["a result with fields of another type", JSON.stringify({ status: [token], item: [token] }), "application/json"],
  ["broken JSON", token, "application/json"],
  ["a page", token, "text/html"],
  ["the content type", "{}", `text/${token}`],
];

describe.each(entries)("$entry with a hostile server", ({ createPlatformClient }) => {
  /** The error of an exchange, and everything that hooks saw of it. */
  async function errorFrom(listener: RequestListener) {
    const seen: unknown[] = [];
    const see = (...event: unknown[]) => void seen.push(event);
    const seeing: Hooks = { onStart: see, onResponse: see, onRetry: see, onEnd: see, onTokenRefresh: see };
    const baseUrl = await serve(listener);
    const hooks = [seeing, openTelemetry({ baseUrl })];
    const client = createPlatformClient({ baseUrl, token, hooks, retry: false });
    const error = await rejection(
      client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode }, { idempotencyKey }),
    );
    const options = { depth: null, showHidden: true, maxStringLength: null, maxArrayLength: null };
    return { error, printed: [inspect([error, seen], options), JSON.stringify(error), error.stack].join("\n") };
  }
  const answering =
    (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
    (_, response) =>
      response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(body);

  describe.each([token, deviceCode, idempotencyKey])(
    "SPEC section 5.3: no error, hook or span contains %s",
    (secret) => {
      it.each(echoes)("when the server repeats it in %s", async (_, body) => {
        const { spans, metrics } = recordTelemetry();
        const headers = { "X-Request-Id": secret, "Retry-After": secret, [secret]: secret, "WWW-Authenticate": secret };
        for (const status of [401, 409, 503]) {
          const echo = JSON.stringify({ [token]: { [token]: [token] }, ...body }).replaceAll(token, secret);
          const { error, printed } = await errorFrom(answering(status, echo, headers));
          expect(printed).not.toContain(secret);
          expect(error.requestId).toBe("[redacted]");
          expect(error.code).toMatch(/^[a-z_]+$/);
        }
        expect(spans().length).toBeGreaterThanOrEqual(6);
        expect(inspect([spans(), await metrics()], { depth: null, maxArrayLength: null })).not.toContain(secret);
      });
    },
  );

  it.each(nonsense)("no error contains a token that a server repeats in %s", async (_, body, type) => {
    for (const status of [200, 502]) {
      const headers = { "X-Request-Id": token, "Content-Type": type };
      expect((await errorFrom(answering(status, body, headers))).printed).not.toContain(token);
    }
  });

  const notViolations: unknown[] = [
    ...[token, 7, true, null, { [token]: token }, { length: 1 }, [token], [null], [[]]],
    ...[[{ field: "vaultId", description: "is wrong" }, 7], [{ field: ["vaultId"], description: "is wrong" }]],
    [{ field: "vaultId", description: { [token]: 1 } }],
  ];
  it.each(notViolations.map((fieldViolations) => ({ fieldViolations })))(
    "has no violations for $fieldViolations",
    async ({ fieldViolations }) => {
      const sent = body("invalid_argument", info("INVALID_FIELD"), violating(fieldViolations));
      const { error, printed } = await errorFrom(answering(400, JSON.stringify(sent)));
      expect(error).toMatchObject({ reason: "INVALID_FIELD", violations: [] });
      expect(printed).not.toContain(token);
    },
  );

  it("leaves out a detail that belongs to another reason", async () => {
    const sent = body("not_found", info("ITEM_NOT_FOUND"), conflicting({}));
    const { error } = await errorFrom(answering(404, JSON.stringify(sent)));
    expect(error).toMatchObject({ reason: "ITEM_NOT_FOUND", detail: undefined });
  });

  describe("control characters and marks of direction are escaped", () => {
    const deceptive =
      "\u0000\u0007\b\t\n\u001b[31m\r\n2026 INFO all is well\u007f\u0085\u009b2J\u2028\u2029\u202e\u2066\u061c\u200f";
    const readable =
      "\\u0000\\u0007\\u0008\\u0009\\u000a\\u001b[31m\\u000d\\u000a2026 INFO all is well\\u007f\\u0085\\u009b2J\\u2028\\u2029\\u202e\\u2066\\u061c\\u200f";
    const details = [
      violating([{ field: `vaultId${deceptive}`, description: `bad${deceptive}` }]),
      conflicting({ itemId: `item-1${deceptive}` }),
    ];
    const sent = { ...body("aborted", info("VERSION_CONFLICT"), ...details), message: `No.${deceptive}` };

    it("in messages, violations, details and request ids", async () => {
      const headers = { "X-Request-Id": "request\u009b2J-1" };
      const { error } = await errorFrom(answering(409, JSON.stringify(sent), headers));
      expect(error.message).toBe(
        `VERSION_CONFLICT: No.${readable} vaultId${readable} bad${readable}. Request request\\u009b2J-1. ${error.docsUrl}`,
      );
      expect(error.violations).toEqual([{ field: `vaultId${readable}`, description: `bad${readable}` }]);
      expect(error).toMatchObject({ detail: { itemId: `item-1${readable}` }, requestId: "request\\u009b2J-1" });
    });

    it.each([
      ["escaped or as they are", JSON.stringify(`odd${deceptive}`), `odd${readable}`],
      ["all escaped", '"odd\\u009b2J\\u202e"', "odd\\u009b2J\\u202e"],
    ])("in results, which may be printed: %s", async (_, text, read) => {
      const answer = answering(200, `{"status":${text},"expiresInSeconds":60}`);
      const client = createPlatformClient({ baseUrl: await serve(answer), token });
      const { status } = await client.identityGateway.exchangeMcpOauthDeviceAuthorization({ deviceCode: "pdc_1" });
      expect(status).toBe(read);
    });
  });

  it.each([
    { name: "arrays in arrays", body: `{"details":${"[".repeat(200_000)}` },
    { name: "many details", body: `{"details":[${"{},".repeat(300_000)}{}]}` },
    { name: "a reason as long as a page", body: JSON.stringify({ details: [info("A".repeat(100_000))] }) },
  ])("$name cause a MALFORMED_RESPONSE with a short message", async ({ body }) => {
    for (const status of [200, 503]) {
      const { error } = await errorFrom(answering(status, body));
      expect(error.reason).toBe("MALFORMED_RESPONSE");
      expect(error.message.length).toBeLessThan(500);
    }
  });
});
