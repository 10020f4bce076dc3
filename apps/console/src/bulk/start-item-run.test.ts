import { create } from "@bufbuild/protobuf";
import { createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { ItemSchema } from "@platform-rpc/types";
import { MemberVaultService } from "@platform-rpc/types-internal/accounts";
import { expect, it } from "vitest";
import { explain } from "../elements/explain.js";
import { type ItemRow, rowOf } from "../items/item-rows.js";
import { summaryOf } from "./bulk-run.js";
import { type ItemRun, startItemRun } from "./start-item-run.js";
import { endOf } from "./testing/end-of.js";

const row = (vaultId: string, itemId: string, version = 1) =>
  rowOf(vaultId, create(ItemSchema, { itemId, version }), undefined);

const proof = { writerId: "ada", signature: "s" };
const sign: Parameters<typeof startItemRun>[4] = async (_, items) => items.map((item) => ({ ...item, proof }));

function start(
  kind: ItemRun["kind"],
  rows: readonly ItemRow[],
  service: Partial<ServiceImpl<typeof MemberVaultService>>,
) {
  const member = createRouterTransport((router) => void router.service(MemberVaultService, service));
  return startItemRun(kind, rows, { member }, () => {}, sign);
}

const deleted = (itemId: string, version: number) => ({ item: { itemId, version: version + 1, deleted: true } });

it("items are deleted in calls of at most 100 of one vault, each at the version that was selected", async () => {
  const rows = Array.from({ length: 250 }, (_, index) => row(index % 5 === 0 ? "b" : "a", `item-${index}`, index + 1));
  const calls: (readonly [string, number])[] = [];
  const versions = new Map<string, number>();
  const run = start("delete", rows, {
    deleteItems({ vaultId, items }) {
      calls.push([vaultId, items.length]);
      for (const { itemId, baseVersion } of items) versions.set(itemId, baseVersion);
      return { outcomes: items.map(({ itemId, baseVersion }) => deleted(itemId, baseVersion)) };
    },
  });
  await endOf(run);
  expect(calls).toEqual([
    ["b", 50],
    ["a", 100],
    ["a", 100],
  ]);
  expect(versions).toEqual(new Map(rows.map(({ item }) => [item.itemId, item.version])));
  const { done, conflicts, failures, left } = summaryOf(run.snapshot());
  expect([done.length, conflicts, failures, left]).toEqual([250, [], [], 0]);
});

it("each item of a call has its own outcome, and those that were rejected say why", async () => {
  const rows = ["gone", "changed", "there"].map((itemId) => row("v", itemId));
  const run = start("delete", rows, {
    deleteItems: ({ items }) => ({
      outcomes: items.map(({ itemId, baseVersion }) => {
        if (itemId === "there") return deleted(itemId, baseVersion);
        return { reason: itemId === "gone" ? "ITEM_NOT_FOUND" : "VERSION_CONFLICT" };
      }),
    }),
  });
  await endOf(run);
  const { done, conflicts, failures } = summaryOf(run.snapshot());
  const titled = (rows: readonly ItemRow[]) => rows.map(({ item }) => item.itemId);
  expect([titled(done), titled(conflicts)]).toEqual([["there"], ["changed"]]);
  expect(failures.map(({ target, error }) => [target.item.itemId, explain(error)])).toEqual([
    [
      "gone",
      {
        message: "This item is not there any more.",
        reference: { reason: "ITEM_NOT_FOUND", requestId: "", docsUrl: undefined },
      },
    ],
  ]);
});

it("undoing restores every item that was deleted, each at its new version", async () => {
  const rows = Array.from({ length: 150 }, (_, index) => row("v", `item-${index}`, 2));
  const restored: string[] = [];
  const run = start("restore", rows, {
    restoreItem({ vaultId, itemId, baseVersion }) {
      restored.push(`${vaultId}/${itemId}@${baseVersion}`);
      return { item: { itemId, version: baseVersion + 1 } };
    },
  });
  await endOf(run);
  expect(restored.sort()).toEqual(rows.map(({ item }) => `v/${item.itemId}@2`).sort());
  expect(summaryOf(run.snapshot()).done.length).toBe(150);
});
