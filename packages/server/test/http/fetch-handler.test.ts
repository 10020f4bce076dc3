import type { HandlerContext } from "@connectrpc/connect";
import { VaultService } from "@platform-rpc/types";
import { describe, expect, it } from "vitest";
import { type Contract, publicContract } from "../../src/contract/contract.js";
import { jsonDocument } from "../../src/http/documents.js";
import { createFetchHandler } from "../../src/http/fetch-handler.js";
import type { HandlerOptions } from "../../src/http/options.js";
import type { RequestEnd } from "../../src/http/request-log.js";
import type { ErrorBody } from "../wire/expect-rpc-error.js";
import { anyCaller } from "../wire/start-listener.js";
import { createLatch } from "../wire/start-stub.js";
import { deleteItemPath } from "../wire/wire-request.js";

const origin = "https://api.example";

/** Creates a fetch handler whose DeleteItem calls `handle`, and records its log. */
function stub(
  handle: (itemId: string, context: HandlerContext) => Promise<void> | void = () => {},
  { contract = publicContract, ...options }: Partial<HandlerOptions> & { readonly contract?: Contract } = {},
) {
  const ends: RequestEnd[] = [];
  const errors: unknown[] = [];
  const fetch = createFetchHandler(
    {
      admit: () => anyCaller,
      contract,
      routes(router) {
        router.service(VaultService, {
          async deleteItem({ itemId }, context) {
            await handle(itemId, context);
            return {};
          },
        });
      },
    },
    {
      logger: { info: () => {}, error: (fields) => errors.push(fields) },
      onRequestEnd: (end) => ends.push(end),
      ...options,
    },
  );
  const call = (init: RequestInit & { readonly duplex?: "half" } = {}, path = deleteItemPath) => {
    const headers = { "Content-Type": "application/json", "Connect-Protocol-Version": "1", ...init.headers };
    return fetch(new Request(origin + path, { method: "POST", body: "{}", ...init, headers }));
  };
  return { fetch, call, ends, errors };
}

/** Returns the status of a response, and the reason in its Error body. */
async function reasonOf(answered: Promise<Response>): Promise<[number, string | undefined]> {
  const answer = await answered;
  const body: ErrorBody = JSON.parse(await answer.text());
  return [answer.status, body.details[0]?.debug.reason];
}

const streamed = (...chunks: string[]) => ({
  body: ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk))),
  duplex: "half" as const,
});

describe("a fetch handler", () => {
  it("returns a Response for a call, and logs it with the request id of its caller", async () => {
    const { call, ends } = stub();
    const answer = await call({ headers: { "X-Request-Id": "r-1" } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-request-id")).toBe("r-1");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await answer.json()).toEqual({});
    expect(ends).toEqual([
      {
        requestId: "r-1",
        operation: deleteItemPath.slice(1),
        tenantId: anyCaller.tenantId,
        status: 200,
        code: "ok",
        reason: undefined,
        durationMs: expect.any(Number),
      },
    ]);
  });

  it("passes URL, headers and timeout of the request to the implementation", async () => {
    const seen: unknown[] = [];
    const { call } = stub((_, { url, requestHeader, timeoutMs }) => {
      seen.push(url, requestHeader.get("X-Other"), (timeoutMs() ?? 0) > 1000);
    });
    await call({ headers: { "X-Other": "1" } }, `${deleteItemPath}?a=b`);
    expect(seen).toEqual([`${deleteItemPath}?a=b`, "1", true]);
  });

  it("serves documents, without a body for HEAD and for a matching If-None-Match", async () => {
    const documents = new Map([["/healthz", jsonDocument(200, { status: "ok" })]]);
    const { fetch } = stub(() => {}, { documents });
    const answer = await fetch(new Request(`${origin}/healthz`));
    expect(await answer.json()).toEqual({ status: "ok" });
    const head = await fetch(new Request(`${origin}/healthz`, { method: "HEAD" }));
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const headers = { "If-None-Match": answer.headers.get("etag") ?? "" };
    const known = await fetch(new Request(`${origin}/healthz`, { headers }));
    expect([known.status, await known.text()]).toEqual([304, ""]);
  });

  it("applies the gate to the URL and the headers of a request", async () => {
    const { fetch, call } = stub(() => {}, { hosts: ["api.example"], corsOrigins: ["https://app.example"] });
    const preflight = { Origin: "https://app.example", "Access-Control-Request-Method": "POST" };
    const granted = await fetch(new Request(origin + deleteItemPath, { method: "OPTIONS", headers: preflight }));
    expect([granted.status, granted.headers.get("access-control-allow-origin")]).toEqual([204, preflight.Origin]);
    expect(await reasonOf(fetch(new Request(`https://other.example${deleteItemPath}`)))).toEqual([
      404,
      "OPERATION_UNKNOWN",
    ]);
    expect(await reasonOf(call({}, `${deleteItemPath}?token=x`))).toEqual([400, "TOKEN_IN_QUERY"]);
    expect(await reasonOf(call({ headers: { "Connect-Protocol-Version": "2" } }))).toEqual([
      400,
      "PROTOCOL_VERSION_REQUIRED",
    ]);
  });

  it.each([
    ["a body that is not UTF-8", { body: Uint8Array.of(0x22, 0xff, 0x22) }, [400, "MALFORMED_JSON"]],
    ["a body over 64 KiB", streamed(...Array(9).fill("x".repeat(8192))), [429, "REQUEST_TOO_LARGE"]],
  ] as const)("rejects %s", async (_, init, expected) => {
    expect(await reasonOf(stub().call(init))).toEqual(expected);
  });

  it("accepts a larger body of an operation whose contract allows it", async () => {
    const contract = { ...publicContract, bodyBytes: { [deleteItemPath.slice(1)]: 65_540 } };
    const { call } = stub(() => {}, { contract });
    const bodyOf = (bytes: number) => streamed("{}", " ".repeat(bytes - 2));
    expect((await call(bodyOf(65_540))).status).toBe(200);
    expect(await reasonOf(call(bodyOf(65_541)))).toEqual([429, "REQUEST_TOO_LARGE"]);
  });

  it.each([
    ["an implementation that ignores its signal", { body: "{}" }],
    ["a body that never ends", { body: new ReadableStream(), duplex: "half" as const }],
  ])("enforces the deadline for %s", async (_, init) => {
    const { call } = stub(() => new Promise(() => {}));
    const answer = call({ ...init, headers: { "Connect-Timeout-Ms": "20" } });
    expect(await reasonOf(answer)).toEqual([504, "DEADLINE_EXCEEDED"]);
  });

  it("stops reading a body once its response is decided", async () => {
    const canceled = createLatch();
    const body = new ReadableStream({ cancel: canceled.open });
    stub().call({ body, duplex: "half", headers: { "Connect-Timeout-Ms": "1" } });
    await canceled.opened;
  });

  it("logs CANCELED when the caller disconnects, and aborts the signal of the implementation", async () => {
    const aborted = createLatch();
    const begun = createLatch();
    const { call, ends } = stub((_, { signal }) => {
      signal.addEventListener("abort", aborted.open);
      begun.open();
      return aborted.opened;
    });
    const caller = new AbortController();
    const answer = call({ signal: caller.signal });
    await begun.opened;
    caller.abort();
    await aborted.opened;
    expect((await answer).status).toBe(499);
    expect(ends).toMatchObject([{ code: "canceled", reason: "CANCELED", status: 499 }]);
  });

  it("does not begin a call whose caller has already disconnected", async () => {
    const called: string[] = [];
    const { call } = stub((itemId) => {
      called.push(itemId);
    });
    expect(await reasonOf(call({ signal: AbortSignal.abort() }))).toEqual([499, "CANCELED"]);
    expect(called).toEqual([]);
  });

  it("returns CANCELED when the body stream fails, because the caller has disconnected", async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
    const { call, errors } = stub();
    expect(await reasonOf(call({ body, duplex: "half" }))).toEqual([499, "CANCELED"]);
    expect(errors).toEqual([]);
  });

  it("sends the response even when the logger throws", async () => {
    const fail = () => {
      throw new Error("the log is closed");
    };
    const handle = (itemId: string) => (itemId === "" ? undefined : fail());
    const { call } = stub(handle, { logger: { info: fail, error: fail } });
    expect((await call()).status).toBe(200);
    expect(await reasonOf(call({ body: '{"itemId":"i-fails"}' }))).toEqual([500, "INTERNAL"]);
  });

  it("returns INTERNAL if the host has already read the body", async () => {
    const { fetch, errors } = stub();
    const headers = { "Content-Type": "application/json", "Connect-Protocol-Version": "1" };
    const request = new Request(origin + deleteItemPath, { method: "POST", body: "{}", headers });
    await request.text();
    expect(await reasonOf(fetch(request))).toEqual([500, "INTERNAL"]);
    expect(errors).toMatchObject([{ error: "BodyConsumedError" }, { reason: "INTERNAL" }]);
  });
});
