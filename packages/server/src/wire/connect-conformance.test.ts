import { afterAll, describe, expect, it } from "vitest";
import { errorTable } from "./expect-rpc-error.js";
import { createLatch, startStub } from "./start-stub.js";

// The unary cases of https://github.com/connectrpc/conformance that apply to a server with JSON, by their names there.

const latch = createLatch();
const timeouts: number[] = [];
const test = await startStub(({ itemId }, context) => {
  timeouts.push(context.timeoutMs() ?? 0);
  context.responseHeader.set("X-Custom-Header", "foo");
  return itemId === "i-slow" ? latch.opened : undefined;
});
afterAll(async () => {
  latch.open();
  await test.close();
});

const body = { vaultId: "v-1", itemId: "i-1", baseVersion: 1 };

/** The HTTP status of each code (Connect protocol, "Error Codes"). */
const statusOf: Readonly<Record<string, number>> = {
  canceled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  aborted: 409,
  out_of_range: 400,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  data_loss: 500,
  unauthenticated: 401,
};

/** The statuses that HTTP has for what happened, where the protocol leaves the status to the server. */
const ownStatus: Readonly<Record<string, number>> = {
  HEADERS_TOO_LARGE: 431,
  OPERATION_UNKNOWN: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  MEDIA_TYPE_UNSUPPORTED: 415,
  EXPECTATION_FAILED: 417,
};

describe("the conformance suite of Connect, unary and JSON", () => {
  it.each([
    {
      name: "unexpected-content-type",
      request: { headers: { "Content-Type": "image/jpeg" } },
      status: 415,
      code: "unknown",
    },
    {
      name: "unexpected-codec",
      request: { headers: { "Content-Type": "application/foo" } },
      status: 415,
      code: "unknown",
    },
    { name: "unexpected-verb", request: { verb: "DELETE" }, status: 405, code: "unknown" },
    {
      name: "unexpected-uri",
      request: { target: "/platform.v1.UnknownService/UnknownMethod" },
      status: 404,
      code: "unimplemented",
    },
    {
      name: "unexpected-compression",
      request: { headers: { "Content-Encoding": "foo" } },
      status: 501,
      code: "unimplemented",
    },
    {
      name: "unexpected-compression (zstd)",
      request: { headers: { "Content-Encoding": "zstd" } },
      status: 501,
      code: "unimplemented",
    },
    {
      name: "unexpected-compression (gzip)",
      request: { headers: { "Content-Encoding": "gzip" } },
      status: 501,
      code: "unimplemented",
    },
  ])("Connect Unexpected Requests/$name is $code", async ({ request, status, code }) => {
    const answer = await test.send({ body, ...request });
    expect({ status: answer.status, code: JSON.parse(answer.body).code }).toEqual({ status, code });
  });

  it("Basic/unary/success: the request and the response are JSON", async () => {
    const answer = await test.send({ body, headers: { "X-Conformance-Test": ["Value1", "Value2"] } });
    expect(answer.status).toBe(200);
    expect(answer.header("content-type")).toBe("application/json");
    expect(answer.header("x-custom-header")).toBe("foo");
    expect(JSON.parse(answer.body)).toBeTypeOf("object");
    expect(test.called).toContain("i-1");
  });

  it("Timeouts/unary is deadline_exceeded", async () => {
    const answer = await test.send({ body: { ...body, itemId: "i-slow" }, headers: { "Connect-Timeout-Ms": "200" } });
    expect({ status: answer.status, code: JSON.parse(answer.body).code }).toEqual({
      status: 504,
      code: "deadline_exceeded",
    });
  });

  it("Deadline Propagation/unary/success: the handler gets the deadline of the caller", async () => {
    await test.send({ body, headers: { "Connect-Timeout-Ms": "2000" } });
    expect(timeouts.at(-1)).toBeGreaterThan(0);
    expect(timeouts.at(-1)).toBeLessThanOrEqual(2_000);
  });

  it.each(Object.entries(errorTable))("Connect to HTTP Code Mapping: %s", (reason, [code, status]) => {
    expect(Object.keys(statusOf)).toContain(code);
    expect(status).toBe(ownStatus[reason] ?? statusOf[code]);
  });
});
