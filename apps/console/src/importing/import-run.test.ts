import { Code, ConnectError, createClient, createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { createPlatformTransport, type Fetch } from "@platform-rpc/client";
import type { WrittenItem } from "@platform-rpc/items/vault/seal-item";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { endOf } from "../bulk/testing/end-of.js";
import { startImport, startUndo, totalsOf } from "./import-run.js";

const written = (count: number): readonly WrittenItem[] =>
  Array.from({ length: count }, (_, index) => {
    return { itemId: `item-${index}`, baseVersion: 0, kind: "login", title: `Item ${index}`, text: "{}" };
  });

const serving = (service: Partial<ServiceImpl<typeof MemberVaultService>>) =>
  createClient(
    MemberVaultService,
    createRouterTransport((router) => void router.service(MemberVaultService, service)),
  );

type Sent = Awaited<ReturnType<typeof seal>>[number];

/** What the server answers when it has stored or deleted an item. */
const stored = ({ baseVersion = 0, ...item }: { readonly baseVersion?: number; readonly deleted?: boolean }) => ({
  reason: "",
  item: { ...item, version: baseVersion + 1 },
});
const proof = { writerId: "ada", signature: "s" };
const sign: Parameters<typeof startUndo>[0]["sign"] = async (_, items) => items.map((item) => ({ ...item, proof }));

let sealedCount = 0;
/** Returns another ciphertext each time, as encryption does. */
const seal = async (items: readonly WrittenItem[]) =>
  items.map(({ itemId, baseVersion, kind }) => {
    sealedCount += 1;
    const payload = { alg: "A256GCM", nonce: String(sealedCount), aad: "", ciphertext: "", version: 2 };
    return { itemId, baseVersion, kind, titleHash: "", encryptedPayload: payload, wrappedKeys: [] };
  });

describe("an import", () => {
  it("stores every item, and lists those that the server rejected", async () => {
    const calls: number[] = [];
    const members = serving({
      putItems({ items }) {
        calls.push(items.length);
        return {
          outcomes: items.map((one) => (one.itemId === "item-7" ? { reason: "ITEM_NOT_FOUND" } : stored(one))),
        };
      },
    });
    const run = startImport({ members, vaultId: "vault", items: written(250), seal });
    await endOf(run);
    expect(calls).toEqual([100, 100, 50]);
    const { done, rejected, error } = totalsOf(run.snapshot());
    expect({ done, error }).toEqual({ done: 249, error: undefined });
    expect(rejected).toEqual([{ where: "“Item 7”", why: expect.stringContaining("ITEM_NOT_FOUND") }]);
  });

  it("does not count the change of a stored item as done if the item has another version", async () => {
    const members = serving({
      putItems: ({ items }) => ({ outcomes: items.map(() => ({ reason: "VERSION_CONFLICT" })) }),
    });
    const [added, changed] = written(2);
    const items = added && changed ? [added, { ...changed, baseVersion: 3 }] : [];
    const run = startImport({ members, vaultId: "vault", items, seal });
    await endOf(run);
    const rejected = [{ where: "“Item 1”", why: expect.stringContaining("changed in the meantime") }];
    expect(totalsOf(run.snapshot())).toMatchObject({ done: 1, rejected });
  });

  it("sends the same ciphertext again if it is continued after an error", async () => {
    const nonces: string[] = [];
    const members = serving({
      putItems({ items }) {
        nonces.push(items[0]?.encryptedPayload?.nonce ?? "");
        if (nonces.length === 1) throw new ConnectError("lost", Code.Internal);
        return { outcomes: items.map(stored) };
      },
    });
    const run = startImport({ members, vaultId: "vault", items: written(1), seal });
    await endOf(run);
    expect(totalsOf(run.snapshot())).toMatchObject({ done: 0, error: expect.any(ConnectError) });
    run.again();
    await endOf(run);
    expect(totalsOf(run.snapshot())).toMatchObject({ done: 1, error: undefined });
    expect(nonces[1]).toBe(nonces[0]);
  });

  it("lists the items that it did not store, and why, until it is continued", async () => {
    const members = serving({
      putItems({ items }) {
        run.stop();
        if (items[0]?.itemId === "item-100") throw new ConnectError("lost", Code.Internal);
        return { outcomes: items.map(stored) };
      },
    });
    // The first six calls are sent before the run is stopped.
    const run = startImport({ members, vaultId: "vault", items: written(650), seal });
    await endOf(run);
    const left = run.left();
    expect(left.length).toBe(150);
    expect(left[0]).toEqual({ where: "“Item 100”", why: expect.stringContaining("did not say that it stored it") });
    expect(left[149]).toEqual({ where: "“Item 649”", why: "The import was stopped before it." });
    expect(totalsOf(run.snapshot()).done + left.length).toBe(650);
  });
});

it("a call that the rate limit stops is sent again when Retry-After says so, and not before", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const startedAt = performance.now();
  const calledAfter: number[] = [];
  const fetch: Fetch = async (_, init) => {
    calledAfter.push(performance.now() - startedAt);
    const { items = [] }: { items?: Sent[] } = await new Response(init?.body).json();
    if (calledAfter.length > 1) return Response.json({ outcomes: items.map((one) => stored(one)) });
    const debug = { reason: "RATE_LIMITED", domain: "platform.v1", metadata: {} };
    const details = [{ type: "google.rpc.ErrorInfo", value: "", debug }];
    const limited = { code: "resource_exhausted", message: "Too many items.", details };
    return Response.json(limited, { status: 429, headers: { "Retry-After": "60" } });
  };
  const transport = createPlatformTransport({ baseUrl: "https://platform.test", token: "t", fetch, logLevel: "off" });
  const members = createClient(MemberVaultService, transport);
  const run = startImport({ members, vaultId: "vault", items: written(1), seal });
  const waited = new Set<unknown>();
  for (let turn = 0; turn < 300 && run.snapshot().state !== "ended"; turn += 1) {
    waited.add(run.waitingFor());
    await vi.advanceTimersByTimeAsync(500);
    // Streams of bodies go on in turns of the real event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(totalsOf(run.snapshot())).toEqual({ done: 1, rejected: [], error: undefined });
  expect(calledAfter).toHaveLength(2);
  expect(calledAfter[1]).toBeGreaterThanOrEqual(60_000);
  expect(waited).toContain("rate");
});

it("undoing an import deletes what was stored, and keeps what was changed since", async () => {
  const members = serving({
    deleteItems({ items }) {
      const reasons = ["", "ITEM_NOT_FOUND", "VERSION_CONFLICT"];
      expect(items.map(({ baseVersion }) => baseVersion)).toEqual([1_000_001, 1, 1]);
      return {
        outcomes: items.map((one, index) => ({ ...stored({ ...one, deleted: true }), reason: reasons[index] ?? "" })),
      };
    },
  });
  const versions = new Map([["a", 1_000_001]]);
  const run = startUndo({ members, vaultId: "vault", itemIds: ["a", "b", "c"], versions, sign });
  await endOf(run);
  expect(totalsOf(run.snapshot())).toEqual({
    done: 1,
    rejected: [{ where: "Item c", why: expect.stringContaining("changed after the import") }],
    error: undefined,
  });
});
