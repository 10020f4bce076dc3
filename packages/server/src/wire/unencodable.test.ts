import { VersionConflictSchema } from "@platform-rpc/types";
import { afterAll, describe, expect, it } from "vitest";
import { rpcError } from "../rpc/rpc-error.js";
import { expectRpcError } from "./expect-rpc-error.js";
import { startStub } from "./start-stub.js";

const test = await startStub(({ itemId }) => {
  if (itemId !== "i-bad-detail") return;
  // No uint32: the detail cannot be written.
  throw rpcError("VERSION_CONFLICT", { detail: { desc: VersionConflictSchema, value: { baseVersion: -1 } } });
});
afterAll(test.close);

describe("no request ends the process, and each failure has the Error body (DECISIONS 6)", () => {
  it("an error that cannot be encoded is INTERNAL, and the next call is served", async () => {
    expectRpcError(await test.send({ body: { itemId: "i-bad-detail" } }), "INTERNAL");
    expect(test.logText()).toContain("unexpected error");
    expect((await test.send({ body: { itemId: "i-after" } })).status).toBe(200);
  });
});
