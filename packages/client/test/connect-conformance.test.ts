import { create, toJsonString } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { DeleteItemResponseSchema, VaultService } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { entries } from "../src/fixtures/entries.js";
import { rejection } from "../src/fixtures/rejection.js";
import { createPlatformTransport } from "../src/index.js";
import { serve } from "./fixtures/http-server.js";
import { deletedItem, serveStock } from "./fixtures/stock-server.js";

// The unary cases of https://github.com/connectrpc/conformance that apply to a client with JSON, by their names there. A case that
// the client decides otherwise says why.

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 3 };
const whole = toJsonString(DeleteItemResponseSchema, create(DeleteItemResponseSchema, deletedItem));
const json = { "Content-Type": "application/json" };

/** HTTP to RPC Code Mapping: an error without a body. */
const statuses = [
  { name: "bad-request", status: 400, code: "internal" },
  { name: "unauthorized", status: 401, code: "unauthenticated" },
  { name: "forbidden", status: 403, code: "permission_denied" },
  { name: "not-found", status: 404, code: "unimplemented" },
  { name: "conflict", status: 409, code: "unknown" },
  { name: "too-many-requests", status: 429, code: "unavailable" },
  { name: "bad-gateway", status: 502, code: "unavailable" },
  { name: "service-unavailable", status: 503, code: "unavailable" },
  { name: "gateway-timeout", status: 504, code: "unavailable" },
  { name: "http-version-not-supported", status: 505, code: "unknown" },
];

/** Errors, and Connect to HTTP Code Mapping: an error with a code and a message, and the status that the protocol has for it. */
const errors = [
  { name: "unary/canceled", code: "canceled", message: "canceled", status: 499 },
  { name: "unary/unknown", code: "unknown", message: "unknown", status: 500 },
  { name: "unary/invalid-argument", code: "invalid_argument", message: "invalid argument", status: 400 },
  { name: "unary/deadline-exceeded", code: "deadline_exceeded", message: "deadline exceeded", status: 504 },
  { name: "unary/not-found", code: "not_found", message: "not found", status: 404 },
  { name: "unary/already-exists", code: "already_exists", message: "already exists", status: 409 },
  { name: "unary/permission-denied", code: "permission_denied", message: "permission denied", status: 403 },
  { name: "unary/resource-exhausted", code: "resource_exhausted", message: "resource exhausted", status: 429 },
  { name: "unary/failed-precondition", code: "failed_precondition", message: "failed precondition", status: 400 },
  { name: "unary/aborted", code: "aborted", message: "aborted", status: 409 },
  { name: "unary/out-of-range", code: "out_of_range", message: "out of range", status: 400 },
  { name: "unary/unimplemented", code: "unimplemented", message: "unimplemented", status: 501 },
  { name: "unary/internal", code: "internal", message: "internal", status: 500 },
  { name: "unary/unavailable", code: "unavailable", message: "unavailable", status: 503 },
  { name: "unary/data-loss", code: "data_loss", message: "data loss", status: 500 },
  { name: "unary/unauthenticated", code: "unauthenticated", message: "unauthenticated", status: 401 },
  { name: "unary/unicode-error-message", code: "internal", message: "Unicode BMP ☺ and non-BMP 😈", status: 500 },
];

/** Connect Unexpected Responses. */
const unexpected = [
  {
    name: "unexpected-error-body",
    status: 403,
    headers: { "Content-Type": "application/proto" },
    body: "\u0000",
    code: "permission_denied",
  },
  {
    name: "unexpected-content-type",
    status: 200,
    headers: { "Content-Type": "image/jpeg" },
    body: "\u0000",
    code: "unknown",
  },
  {
    // The suite expects internal. To this client, any 200 that it cannot read is unknown: the call may have taken effect.
    name: "unexpected-compression",
    status: 200,
    headers: { ...json, "Content-Encoding": "foo" },
    body: "\u0000",
    code: "unknown",
  },
];

describe.each(entries)("the conformance suite of Connect, unary and JSON: $entry", ({ createPlatformClient }) => {
  const clientOf = async (status: number, headers: Record<string, string>, body: string) => {
    const baseUrl = await serve((_, response) => response.writeHead(status, headers).end(body));
    return createPlatformClient({ baseUrl, token: "token-1", retry: false });
  };

  it.each(statuses)("HTTP to RPC Code Mapping/$name: $status is $code", async ({ status, code }) => {
    const client = await clientOf(status, {}, "");
    expect(await rejection(client.vault.deleteItem(request))).toMatchObject({
      code,
      status,
      reason: "MALFORMED_RESPONSE",
    });
  });

  it.each(errors)("Errors/$name keeps its code, message and status", async ({ code, message, status }) => {
    const client = await clientOf(status, json, JSON.stringify({ code, message }));
    const error = await rejection(client.vault.deleteItem(request));
    expect(error).toMatchObject({ code, status, reason: undefined });
    expect(error.message).toContain(`${code}: ${message}`);
  });

  it.each(errors)("Errors/$name keeps its code with a status that does not fit", async ({ code, message }) => {
    const client = await clientOf(418, json, JSON.stringify({ code, message }));
    expect(await rejection(client.vault.deleteItem(request))).toMatchObject({ code, status: 418 });
  });

  it("Errors/unary/unicode-error-message escapes line breaks, which could forge lines of a log", async () => {
    const client = await clientOf(500, json, JSON.stringify({ code: "internal", message: "\nwith\r\nwhitespace\n" }));
    const { message } = await rejection(client.vault.deleteItem(request));
    expect(message).toContain("internal: \\u000awith\\u000d\\u000awhitespace\\u000a");
  });

  it("Errors/unary/error-with-metadata keeps the headers that are safe to log", async () => {
    const headers = { ...json, "X-Custom-Header": "foo", "WWW-Authenticate": "Bearer" };
    const client = await clientOf(401, headers, JSON.stringify({ code: "unauthenticated", message: "No." }));
    const error = await rejection(client.vault.deleteItem(request));
    expect(error.headers).toMatchObject({ "www-authenticate": "Bearer" });
    expect(error.headers).not.toHaveProperty("x-custom-header");
  });

  it.each(unexpected)("Connect Unexpected Responses/$name is $code", async ({ status, headers, body, code }) => {
    const client = await clientOf(status, Object.fromEntries(Object.entries(headers)), body);
    expect(await rejection(client.vault.deleteItem(request))).toMatchObject({ code, reason: "MALFORMED_RESPONSE" });
  });

  it("Basic/unary/success: the request and the response arrive with their headers", async () => {
    const seen: unknown[] = [];
    const baseUrl = await serveStock({
      deleteItem: (message, { requestHeader, responseHeader, protocolName }) => {
        seen.push([message.vaultId, message.baseVersion, requestHeader.get("X-Conformance-Test"), protocolName]);
        responseHeader.set("X-Custom-Header", "foo");
        return deletedItem;
      },
    });
    const client = createPlatformClient({ baseUrl, token: "token-1" });
    const result = await client.vault.deleteItem(request, {
      headers: [
        ["X-Conformance-Test", "Value1"],
        ["X-Conformance-Test", "Value2"],
      ],
    });
    expect(seen).toEqual([["vault-1", 3, "Value1, Value2", "connect"]]);
    expect(result.item.version).toBe(4);
    expect(result.response.headers.get("X-Custom-Header")).toBe("foo");
  });

  it("Timeouts/unary is deadline_exceeded", async () => {
    const baseUrl = await serveStock({ deleteItem: () => new Promise(() => undefined) });
    const client = createPlatformClient({ baseUrl, token: "token-1" });
    const error = await rejection(client.vault.deleteItem(request, { timeoutMs: 200 }));
    expect(error.code).toBe("deadline_exceeded");
  });

  it("Deadline Propagation/unary/success sends Connect-Timeout-Ms", async () => {
    const deadlines: unknown[] = [];
    const baseUrl = await serve(({ headers }, response) => {
      deadlines.push(Number(headers["connect-timeout-ms"]));
      response.writeHead(200, json).end(whole);
    });
    await createPlatformClient({ baseUrl, token: "token-1" }).vault.deleteItem(request, { timeoutMs: 2_000 });
    expect(deadlines[0]).toBeGreaterThan(0);
    expect(deadlines[0]).toBeLessThanOrEqual(2_000);
  });
});

describe("the conformance suite of Connect, unary and JSON: createPlatformTransport", () => {
  it.each(errors)("Errors/$name keeps its code and has no details", async ({ code, message, status }) => {
    const body = JSON.stringify({ code, message });
    const baseUrl = await serve((_, response) => response.writeHead(status, json).end(body));
    const vault = createClient(VaultService, createPlatformTransport({ baseUrl, token: "token-1", retry: false }));
    const error = ConnectError.from(await vault.deleteItem(request).catch((thrown: unknown) => thrown));
    expect(Code[error.code]?.replace(/(?<=.)[A-Z]/g, "_$&").toLowerCase()).toBe(code);
    expect(error.details).toEqual([]);
  });

  it("JSON.stringify of a response returns its timestamps as on the wire", async () => {
    const baseUrl = await serve((_, response) => response.writeHead(200, json).end(whole));
    const vault = createClient(VaultService, createPlatformTransport({ baseUrl, token: "token-1" }));
    expect(JSON.stringify(await vault.deleteItem(request))).toContain("2023-11-14T22:13:20.123Z");
  });
});
