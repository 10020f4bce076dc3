import { VersionConflictSchema } from "@platform-rpc/types";
import { afterAll, describe, expect, it } from "vitest";
import { rpcError } from "../../src/services/rpc-error.js";
import { expectRpcError } from "./expect-rpc-error.js";
import { startStub } from "./start-stub.js";

const test = await startStub(({ itemId }, { responseHeader }) => {
  if (itemId === "i-bad-header") responseHeader.set("X-Echo", "a\u0001b");
  if (itemId === "i-framing") {
    responseHeader.set("Content-Length", "1");
    responseHeader.set("Content-Type", "text/html");
    responseHeader.set("Transfer-Encoding", "chunked");
  }
  if (itemId === "i-bad-error-header") throw rpcError("ITEM_NOT_FOUND", { headers: { "X-Echo": "a\u0001b" } });
  if (itemId !== "i-bad-detail") return;
  // Not a uint32, so the detail cannot be encoded.
  throw rpcError("VERSION_CONFLICT", { detail: { desc: VersionConflictSchema, value: { baseVersion: -1 } } });
});
afterAll(test.close);

describe("no request ends the process, and each failure has the Error body (DECISIONS 6)", () => {
  it("an error that cannot be encoded is INTERNAL, and the next call is served", async () => {
    expectRpcError(await test.send({ body: { itemId: "i-bad-detail" } }), "INTERNAL");
    expect(test.logText()).toContain("unexpected error");
    expect((await test.send({ body: { itemId: "i-after" } })).status).toBe(200);
  });

  it.each(["i-bad-header", "i-bad-error-header"])("%s: a header that HTTP cannot carry is INTERNAL", async (itemId) => {
    expectRpcError(await test.send({ body: { itemId } }), "INTERNAL");
    expect((await test.send({ body: { itemId: "i-after" } })).status).toBe(200);
  });

  it("a handler cannot change the framing of its response", async () => {
    const answer = await test.send({ body: { itemId: "i-framing" } });
    expect(answer.body).not.toBe("");
    expect(answer.headers.filter(([name]) => /^(?:content|transfer)-/.test(name))).toEqual([
      ["content-type", "application/json"],
      ["content-length", String(answer.body.length)],
    ]);
  });
});
