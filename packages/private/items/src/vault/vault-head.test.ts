import { createWriterKeys } from "@platform-rpc/client/crypto";
import { describe, expect, it } from "vitest";
import { memoryOf } from "../testing/memory-of.js";
import { advanceHead, judgeHead, type ListedVault, signHead, type VaultHead } from "./vault-head.js";

const ada = await createWriterKeys();
const stranger = await createWriterKeys();
const writers = [{ writerId: "ada", publicKey: ada.publicKey }];
const writer = { writerId: "ada", privateKey: ada.privateKey };
const at = (sequence: number, ...versions: (readonly [string, number])[]): ListedVault => {
  return { tenantId: "acme", vaultId: "v-1", sequence, versions: new Map(versions) };
};
const listed = at(3, ["i-1", 2], ["i-2", 1]);
const head = await signHead(listed, writer);
const behind = { what: "behind", seen: 3, sent: 2 };
const differs = { what: "differs", seen: 3, sent: 3 };

describe("the head of a vault", async () => {
  const forged = await signHead(listed, { ...writer, privateKey: stranger.privateKey });
  const unknown = await signHead(listed, { ...writer, writerId: "program:1" });
  const elsewhere = await signHead({ ...listed, vaultId: "v-2" }, writer);
  const ofOthers = await signHead({ ...listed, tenantId: "other" }, writer);
  const old = at(2, ["i-1", 1], ["i-2", 1]);

  it.each<[string, VaultHead | undefined, ListedVault, object | undefined]>([
    ["a list that it has signed", head, listed, undefined],
    ["the same list in another order", head, at(3, ["i-2", 1], ["i-1", 2]), undefined],
    ["a list that goes on", head, at(4, ["i-1", 2], ["i-2", 2]), undefined],
    ["a list that ends before it", head, old, behind],
    ["an empty list", head, at(0), { ...behind, sent: 0 }],
    ["a list with another version", head, at(3, ["i-1", 1], ["i-2", 1]), differs],
    ["a list without an item", head, at(3, ["i-1", 2]), differs],
    ["a list with one more item", head, at(3, ["i-1", 2], ["i-2", 1], ["i-3", 1]), differs],
    ["an old list, if there is no head", undefined, old, undefined],
    ["an old list, if a stranger has signed it", forged, old, undefined],
    ["an old list, if an unknown program has signed it", unknown, old, undefined],
    ["an old list, if it is of another vault", elsewhere, old, undefined],
    ["an old list, if it is of another tenant", ofOthers, old, undefined],
    ["an old list, if its position was altered", { ...head, sequence: 4 }, old, undefined],
    ["another list, if its hash was altered", { ...head, hash: "A".repeat(43) }, listed, undefined],
    ["another list, if its number was altered", { ...head, items: 1 }, listed, undefined],
    ["an old list, if its signature is no base64url", { ...head, signature: "*" }, old, undefined],
  ])("judges %s", async (_, sent, list, finding) => {
    expect(await judgeHead(sent, list, writers, memoryOf())).toEqual(finding);
  });

  it("is remembered: an old list is noticed if the server takes the head back, too", async () => {
    const memory = memoryOf();
    expect(await judgeHead(forged, old, writers, memory)).toBeUndefined();
    expect(await judgeHead(head, listed, writers, memory)).toBeUndefined();
    for (const sent of [undefined, await signHead(old, writer)]) {
      expect(await judgeHead(sent, old, writers, memory)).toEqual(behind);
    }
  });

  it.each([
    [59_999, [2], 3],
    [60_000, [2, 3], undefined],
    [-1, [2, 3], undefined],
  ])("is stored at most once a minute: after %i ms, %j are, and %s waits", async (afterMs, stored, waiting) => {
    const memory = memoryOf();
    const heads: VaultHead[] = [];
    const advance = (list: ListedVault, now: number, before?: VaultHead) =>
      advanceHead(list, { head: before, writer, memory }, async (next) => heads.push(next), now);
    expect(await advance(at(1), 1_000_000)).toBeUndefined();
    expect(await advance(listed, 1_000_000, head)).toBeUndefined();
    await advance(old, 1_000_000);
    expect((await advance(listed, 1_000_000 + afterMs))?.sequence).toBe(waiting);
    expect(heads.map(({ sequence }) => sequence)).toEqual(stored);
    // The server has lost what it got.
    const finding = await judgeHead(undefined, at(1), writers, memory);
    expect(finding).toEqual({ what: "behind", seen: stored.at(-1), sent: 1 });
  });
});
