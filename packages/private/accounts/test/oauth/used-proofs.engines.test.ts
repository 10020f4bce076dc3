import { Hono } from "hono";
import { afterAll, describe, expect, it } from "vitest";
import type { AccountsEnvironment } from "../../src/http/environment.js";
import { createUsedProofs } from "../../src/oauth/used-proofs.js";
import { inMemoryPlatform } from "../../src/testing/in-memory-platform.js";

const platform = await inMemoryPlatform();
afterAll(() => platform.close());

/** Starts what one process has: its own memory. All of them use the same storage. */
function startProcess() {
  const use = createUsedProofs({ ...platform, tenantId: "acme" });
  return async (proofId: string, { thumbprint = "key-1", now = platform.clock.now() } = {}) => {
    const routes = new Hono<AccountsEnvironment>();
    routes.get("/", async (context) => {
      context.set("requestId", "request-1");
      context.set("wanted", () => true);
      return context.text(await use(context, { proofId, thumbprint, expiresAt: now + 60_000, now }));
    });
    return (await routes.request("/")).text();
  };
}

describe("a DPoP proof is accepted once (RFC 9449 section 11.1)", () => {
  it("by the process that accepted it", async () => {
    const use = startProcess();
    expect([await use("a"), await use("a")]).toEqual(["first", "seen"]);
  });

  it("by all processes together, and after a restart", async () => {
    expect(await startProcess()("b")).toBe("first");
    expect(await startProcess()("b")).toBe("seen");
  });

  it("by one of several processes that get it at the same time", async () => {
    const uses = await Promise.all(Array.from({ length: 8 }, () => startProcess()("c")));
    expect(uses.toSorted()).toEqual(["first", ...Array.from({ length: 7 }, () => "seen")]);
  });
});

it("proofs with the same id, of different keys, are different proofs", async () => {
  const use = startProcess();
  expect([await use("d"), await use("d", { thumbprint: "key-2" })]).toEqual(["first", "first"]);
});

it("a process whose clock is a minute behind still knows a proof that has expired", async () => {
  const now = platform.clock.now();
  expect(await startProcess()("e", { now })).toBe("first");
  platform.pass(119_999);
  expect(await startProcess()("e", { now })).toBe("seen");
});
