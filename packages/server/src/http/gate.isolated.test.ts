import { create } from "@bufbuild/protobuf";
import { IdentityGatewayService, VaultService } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { collectRoutes, type Route } from "../services/routes.js";
import { RpcError } from "../services/rpc-error.js";
import { checkRequest, type RequestHead, requireWellFormed } from "./gate.js";
import { defaultLimits } from "./limits.js";
import { joinHeaders, parseTarget, type RequestHeaders, readRequestHeaders } from "./request-head.js";

const routes = collectRoutes((router) => {
  router.service(VaultService, { deleteItem: () => create(VaultService.method.deleteItem.output) });
  router.service(IdentityGatewayService, {});
});
const route = routes.get("/platform.v1.VaultService/DeleteItem");
const usual = readRequestHeaders(
  joinHeaders(["Host", "x", "Content-Type", "application/json", "Connect-Protocol-Version", "1"]),
);

function head(headers: Partial<RequestHeaders> = {}, more: Partial<RequestHead> = {}): RequestHead {
  const target = parseTarget("/platform.v1.VaultService/DeleteItem");
  return { httpVersion: "1.1", verb: "POST", target, headers: { ...usual, ...headers }, ...more };
}

/** Returns the reason of the RpcError that `check` throws, or undefined if it throws none. */
function reasonOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof RpcError) return thrown.reason;
    throw thrown;
  }
}

const rejection = (headers: Partial<RequestHeaders>) =>
  reasonOf(() => checkRequest(head(headers), route, false, defaultLimits));

interface Checked {
  readonly draining: boolean;
  readonly route: Route | undefined;
  readonly verb: string;
  readonly query: string;
  readonly headers: Partial<RequestHeaders>;
}

/** What can be wrong with the head of a request, in the order of the checks. */
const faults: readonly (readonly [reason: string, fault: Partial<Checked>])[] = [
  ["UNAVAILABLE", { draining: true }],
  ["OPERATION_UNKNOWN", { route: undefined }],
  ["METHOD_NOT_ALLOWED", { verb: "PUT" }],
  ["TOKEN_IN_QUERY", { query: "?access_token=x" }],
  ["MEDIA_TYPE_UNSUPPORTED", { headers: { contentType: "text/json" } }],
  ["ENCODING_UNSUPPORTED", { headers: { contentEncoding: "gzip" } }],
  ["PROTOCOL_VERSION_REQUIRED", { headers: { connectProtocolVersion: undefined } }],
  ["INVALID_TIMEOUT", { headers: { connectTimeoutMs: "soon" } }],
];

it("DECISIONS 5: of all that is wrong with a head, the first check reports its reason", () => {
  let wrong: Checked = { draining: false, route, verb: "POST", query: "", headers: {} };
  for (const [reason, fault] of faults.toReversed()) {
    wrong = { ...wrong, ...fault, headers: { ...wrong.headers, ...fault.headers } };
    const { draining, verb, query, headers } = wrong;
    const target = parseTarget(`/platform.v1.VaultService/DeleteItem${query}`);
    const check = () => checkRequest(head(headers, { verb, target }), wrong.route, draining, defaultLimits);
    expect(reasonOf(check)).toBe(reason);
  }
});

describe("DECISIONS 6: Content-Type is application/json, optionally with charset=utf-8, any case, quoted or not", () => {
  it.each([
    "application/json",
    "application/json; charset=utf-8",
    'application/json; charset="utf-8"',
    'application/json; CHARSET="Utf-8"',
    "application/json\t;\tcharset=utf-8 ",
    "application/json;",
  ])("accepts %j", (contentType) => {
    expect(rejection({ contentType })).toBeUndefined();
  });

  it.each([
    undefined,
    "",
    "application/json5",
    "text/json",
    "application/proto",
    "application/grpc+json",
    "application/json; charset=utf8",
    "application/json; charset=iso-8859-1",
    "application/json; version=1",
    "application/json; charset=utf-8; q=1",
    "application/json, application/json",
    " application/json",
  ])("rejects %j", (contentType) => {
    expect(rejection({ contentType })).toBe("MEDIA_TYPE_UNSUPPORTED");
  });

  it("checks a long hostile media type in linear time", () => {
    const before = process.cpuUsage();
    expect(rejection({ contentType: `application/json${"; ".repeat(8000)}x` })).toBe("MEDIA_TYPE_UNSUPPORTED");
    expect(process.cpuUsage(before).user).toBeLessThan(200_000);
  });
});

describe("DECISIONS 7: Connect-Timeout-Ms is 1 to 10 digits, above 0; anything else is rejected", () => {
  it.each([
    [undefined, 15_000],
    ["1", 1],
    ["0000000001", 1],
    ["30000", 30_000],
    ["30001", 30_000],
    ["9999999999", 30_000],
  ])("accepts %j as %i ms", (connectTimeoutMs, timeoutMs) => {
    expect(checkRequest(head({ connectTimeoutMs }), route, false, defaultLimits).timeoutMs).toBe(timeoutMs);
  });

  it.each(["", "0", "0000000000", "-1", "1e3", "10000000000", "1 ", " 1", "1, 1", "١"])(
    "rejects %j",
    (connectTimeoutMs) => {
      expect(rejection({ connectTimeoutMs })).toBe("INVALID_TIMEOUT");
    },
  );
});

describe("DECISIONS 8: Connect-Protocol-Version: 1 is required; anything else is rejected", () => {
  it.each([undefined, "", "0", "2", "1.0", "01", "1, 1", "v1", "1 "])("rejects %j", (connectProtocolVersion) => {
    expect(rejection({ connectProtocolVersion })).toBe("PROTOCOL_VERSION_REQUIRED");
  });
});

describe("DECISIONS 7: no content encodings", () => {
  it.each([undefined, "identity", "Identity"])("accepts %j", (contentEncoding) => {
    expect(rejection({ contentEncoding })).toBeUndefined();
  });
  it.each(["gzip", "br", "deflate", "zstd", "identity, gzip", "identity, identity", "*", ""])(
    "rejects %j",
    (contentEncoding) => {
      expect(rejection({ contentEncoding })).toBe("ENCODING_UNSUPPORTED");
    },
  );
});

describe("RFC 9112 section 3.2: a request has one valid Host, which HTTP/1.0 may omit", () => {
  it.each([
    ["1.1", "platform.test:8080", undefined],
    ["1.1", "[::1]:80", undefined],
    ["1.1", "", undefined],
    ["1.0", undefined, undefined],
    ["1.1", undefined, "MALFORMED_HTTP"],
    ["0.9", undefined, "MALFORMED_HTTP"],
    ["1.1", "[", "MALFORMED_HTTP"],
    ["1.1", "a b", "MALFORMED_HTTP"],
    ["1.1", "a@b", "MALFORMED_HTTP"],
    ["1.1", "a:b", "MALFORMED_HTTP"],
    ["1.1", "a, a", "MALFORMED_HTTP"],
  ])("HTTP/%s with %j: %s", (httpVersion, host, reason) => {
    expect(reasonOf(() => requireWellFormed(head({ host }, { httpVersion })))).toBe(reason);
  });
});

describe("RFC 9112 section 6.1: chunked is the only supported transfer coding", () => {
  it.each([
    ["1.1", "chunked", undefined],
    ["1.1", "Chunked", undefined],
    ["1.0", "chunked", "MALFORMED_HTTP"],
    ["1.1", "gzip", "MALFORMED_HTTP"],
    ["1.1", "chunked, gzip", "MALFORMED_HTTP"],
    ["1.1", "", "MALFORMED_HTTP"],
    ["1.1", "gzip, chunked", "ENCODING_UNSUPPORTED"],
  ])("HTTP/%s with %j: %s", (httpVersion, transferEncoding, reason) => {
    expect(reasonOf(() => requireWellFormed(head({ transferEncoding }, { httpVersion })))).toBe(reason);
  });
});
