import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { createPlatformTransport, type Fetch } from "@platform-rpc/client";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { WrittenItem } from "../editing/seal-written.js";
import { type ImportRun, startImport, startUndo, totalsOf } from "./import-run.js";

const sealer = { tenantId: "acme", principalId: "ada", keys: undefined, vaultId: "vault", key: undefined };
const written = (count: number): readonly WrittenItem[] =>
  Array.from({ length: count }, (_, index) => {
    return { itemId: `item-${index}`, baseVersion: 0, kind: "login", title: `Item ${index}`, text: "{}" };
  });

let sealedCount = 0;
/** Returns another ciphertext each time, as encryption does. */
const seal = async (_: typeof sealer, items: readonly WrittenItem[]) =>
  items.map(({ itemId, baseVersion, kind }) => {
    sealedCount += 1;
    const payload = { alg: "A256GCM", nonce: String(sealedCount), aad: "", ciphertext: "", version: 2 };
    return { itemId, baseVersion, kind, titleHash: "", encryptedPayload: payload, wrappedKeys: [] };
  });

const endOf = (run: ImportRun) =>
  new Promise<void>((resolve) => {
    const check = () => run.snapshot().state === "ended" && resolve();
    run.subscribe(check);
    check();
  });

describe("an import", () => {
  it("stores every item, and lists those that the server rejected", async () => {
    const calls: number[] = [];
    const member = createRouterTransport(({ service }) => {
      service(MemberVaultService, {
        putItems({ items }) {
          calls.push(items.length);
          return { outcomes: items.map(({ itemId }) => ({ reason: itemId === "item-7" ? "ITEM_NOT_FOUND" : "" })) };
        },
      });
    });
    const run = startImport({ member, sealer, items: written(250), seal });
    await endOf(run);
    expect(calls).toEqual([100, 100, 50]);
    const { done, rejected, error } = totalsOf(run.snapshot());
    expect({ done, error }).toEqual({ done: 249, error: undefined });
    expect(rejected).toEqual([{ where: "“Item 7”", why: expect.stringContaining("ITEM_NOT_FOUND") }]);
  });

  it("sends the same ciphertext again if it is continued after an error", async () => {
    const nonces: string[] = [];
    const member = createRouterTransport(({ service }) => {
      service(MemberVaultService, {
        putItems({ items }) {
          nonces.push(items[0]?.encryptedPayload?.nonce ?? "");
          if (nonces.length === 1) throw new ConnectError("lost", Code.Internal);
          return { outcomes: items.map(() => ({ reason: "" })) };
        },
      });
    });
    const run = startImport({ member, sealer, items: written(1), seal });
    await endOf(run);
    expect(totalsOf(run.snapshot())).toMatchObject({ done: 0, error: expect.any(ConnectError) });
    run.again();
    await endOf(run);
    expect(totalsOf(run.snapshot())).toMatchObject({ done: 1, error: undefined });
    expect(nonces[1]).toBe(nonces[0]);
  });

  it("lists the items that it did not store, and why, until it is continued", async () => {
    const member = createRouterTransport(({ service }) => {
      service(MemberVaultService, {
        putItems({ items }) {
          run.stop();
          if (items[0]?.itemId === "item-100") throw new ConnectError("lost", Code.Internal);
          return { outcomes: items.map(() => ({ reason: "" })) };
        },
      });
    });
    // The first six calls are sent before the run is stopped.
    const run = startImport({ member, sealer, items: written(650), seal });
    await endOf(run);
    const left = run.left();
    expect(left.length).toBe(150);
    expect(left[0]).toEqual({ where: "“Item 100”", why: expect.stringContaining("did not say that it stored it") });
    expect(left[149]).toEqual({ where: "“Item 649”", why: "The import was stopped before it." });
    expect(totalsOf(run.snapshot()).done + left.length).toBe(650);
  });
});

describe("an import that the rate limit stops, on a fake clock", () => {
  afterEach(() => void vi.useRealTimers());

  it("sends each call again when Retry-After says so and not before, and stores every item once", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
    const server = limitedServer({ burst: 200, perSecond: 100 });
    const member = createPlatformTransport({
      baseUrl: "https://platform.test",
      token: "t",
      fetch: server.fetch,
      logLevel: "off",
    });
    const startedAt = performance.now();
    const run = startImport({ member, sealer, items: written(1_000), seal });
    const waited = new Set<unknown>();
    for (let turn = 0; turn < 600 && run.snapshot().state !== "ended"; turn += 1) {
      waited.add(run.waitingFor());
      await vi.advanceTimersByTimeAsync(50);
      // Streams of bodies go on in turns of the real event loop.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(totalsOf(run.snapshot())).toEqual({ done: 1_000, rejected: [], error: undefined });
    expect([...server.stored.values()]).toEqual(Array.from({ length: 1_000 }, () => 1));
    expect(server.stored.size).toBe(1_000);
    expect(server.limited).toBeGreaterThan(5);
    expect(server.early).toEqual([]);
    expect(waited).toContain("rate");
    // 800 items at 100 a second, and no more than a few seconds of waiting that nobody asked for.
    const seconds = (performance.now() - startedAt) / 1000;
    expect(seconds).toBeGreaterThan(7);
    expect(seconds).toBeLessThan(30);
  });
});

it("undoing an import deletes what was stored, and keeps what was changed since", async () => {
  const member = createRouterTransport(({ service }) => {
    service(MemberVaultService, {
      deleteItems({ items }) {
        const reasons = ["", "ITEM_NOT_FOUND", "VERSION_CONFLICT"];
        expect(items.every(({ baseVersion }) => baseVersion === 1)).toBe(true);
        return { outcomes: items.map((_, index) => ({ reason: reasons[index] ?? "" })) };
      },
    });
  });
  const run = startUndo({ member, vaultId: "vault", itemIds: ["a", "b", "c"] });
  await endOf(run);
  expect(totalsOf(run.snapshot())).toEqual({
    done: 1,
    rejected: [{ where: "Item c", why: expect.stringContaining("changed after the import") }],
    error: undefined,
  });
});

/** Returns a server that stores items at a rate. It answers RESOURCE_EXHAUSTED beyond it, with the seconds after which a call is accepted. */
function limitedServer({ burst, perSecond }: { readonly burst: number; readonly perSecond: number }) {
  const stored = new Map<string, number>();
  const notBefore = new Map<string, number>();
  const early: string[] = [];
  let available = burst;
  let at = performance.now();
  let limited = 0;
  const fetch: Fetch = async (_, { body }) => {
    const now = performance.now();
    available = Math.min(burst, available + ((now - at) / 1000) * perSecond);
    at = now;
    const { items }: { items: readonly { readonly itemId: string }[] } = JSON.parse(body);
    const first = items[0]?.itemId ?? "";
    if (now < (notBefore.get(first) ?? 0)) early.push(first);
    if (available < items.length) {
      limited += 1;
      const seconds = Math.ceil((items.length - available) / perSecond) + 1;
      notBefore.set(first, now + seconds * 1000);
      const debug = { reason: "RATE_LIMITED", domain: "platform.v1", metadata: {} };
      const details = [{ type: "google.rpc.ErrorInfo", value: "", debug }];
      return Response.json(
        { code: "resource_exhausted", message: "Too many items.", details },
        { status: 429, headers: { "Retry-After": String(seconds) } },
      );
    }
    available -= items.length;
    for (const { itemId } of items) stored.set(itemId, (stored.get(itemId) ?? 0) + 1);
    return Response.json({ outcomes: items.map(() => ({ reason: "" })) });
  };
  return {
    fetch,
    stored,
    early,
    get limited() {
      return limited;
    },
  };
}
