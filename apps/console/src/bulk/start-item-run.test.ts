import { create } from "@bufbuild/protobuf";
import { createClient, createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { EncryptedPayloadSchema, ItemSchema } from "@platform-rpc/types";
import { MemberVaultService, type PutItemRequest } from "@platform-rpc/types-internal/accounts";
import { expect, it } from "vitest";
import { explain } from "../elements/explain.js";
import { type ItemRow, rowOf } from "../items/item-rows.js";
import { summaryOf } from "./bulk-run.js";
import { type ItemChange, startItemRun } from "./start-item-run.js";
import { endOf } from "./testing/end-of.js";

const row = (vaultId: string, itemId: string, version = 1) =>
  rowOf(vaultId, create(ItemSchema, { itemId, version }), undefined);

const proof = { writerId: "ada", signature: "s" };
const signers: Pick<Parameters<typeof startItemRun>[2], "sign" | "seal"> = {
  sign: async (_, items) => items.map((item) => ({ ...item, proof })),
  seal: async (_, { itemId, baseVersion, kind, text }) => ({
    ...{ itemId, baseVersion, kind, titleHash: "", wrappedKeys: [] },
    encryptedPayload: create(EncryptedPayloadSchema, { ciphertext: text }),
  }),
};

function start(
  change: ItemChange,
  rows: readonly ItemRow[],
  service: Partial<ServiceImpl<typeof MemberVaultService>>,
  newest = (row: ItemRow) => row,
) {
  const transport = createRouterTransport((router) => void router.service(MemberVaultService, service));
  const members = createClient(MemberVaultService, transport);
  return startItemRun(change, rows, { ...signers, members, add() {}, newest });
}

const deleted = (itemId: string, version: number) => ({ item: { itemId, version: version + 1, deleted: true } });

it("items are deleted in calls of at most 100 of one vault, each at the version that was selected", async () => {
  const rows = Array.from({ length: 250 }, (_, index) => row(index % 5 === 0 ? "b" : "a", `item-${index}`, index + 1));
  const calls: (readonly [string, number])[] = [];
  const versions = new Map<string, number>();
  const run = start({ kind: "delete" }, rows, {
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
  const run = start({ kind: "delete" }, rows, {
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
  const run = start({ kind: "restore" }, rows, {
    restoreItem({ vaultId, itemId, baseVersion }) {
      restored.push(`${vaultId}/${itemId}@${baseVersion}`);
      return { item: { itemId, version: baseVersion + 1 } };
    },
  });
  await endOf(run);
  expect(restored.sort()).toEqual(rows.map(({ item }) => `v/${item.itemId}@2`).sort());
  expect(summaryOf(run.snapshot()).done.length).toBe(150);
});

it.each([
  [{ kind: "tag", tags: ["old", "new"] }, ["old", "new"]],
  [{ kind: "untag", tags: ["old"] }, undefined],
] as const)("%j writes the title, the other tags and the fields of the newest version again", async (change, tags) => {
  const content = {
    ...{ title: "", tags: ["old"], fields: [{ name: "password", type: "secret", value: "hunter2" } as const] },
    revision: { version: 3, hash: "" },
  };
  const written: string[] = [];
  const putItem = ({ itemId, baseVersion, kind, encryptedPayload }: PutItemRequest) => {
    written.push(`${itemId}@${baseVersion} ${encryptedPayload?.ciphertext}`);
    return { item: { itemId, version: baseVersion + 1, kind, ...(encryptedPayload && { encryptedPayload }) } };
  };
  const newest = rowOf("v", create(ItemSchema, { itemId: "a", version: 3, kind: "login" }), content);
  const run = start(change, [row("v", "a", 1)], { putItem }, () => newest);
  await endOf(run);
  expect(summaryOf(run.snapshot()).failures).toEqual([]);
  expect(written).toEqual([`a@3 ${JSON.stringify({ version: 1, title: "", tags, fields: content.fields })}`]);
});

it.each([
  ["is not verified", { isUnverified: true }],
  ["is not verified, with the tag", { isUnverified: true, tags: ["new"] }],
  ["contradicts what this browser has seen", { finding: { what: "older", sent: 1, seen: 2 } as const }],
  ["has a form that cannot be written without loss", { isReadOnly: true }],
] as const)("a tag signs no item that by now %s", async (_, doubt) => {
  const content = { title: "Mail", fields: [], revision: { version: 1, hash: "" } };
  const selected = rowOf("v", create(ItemSchema, { itemId: "a", version: 1 }), content);
  const newest = rowOf("v", create(ItemSchema, { itemId: "a", version: 2 }), { ...content, ...doubt });
  const sent: string[] = [];
  const putItem = ({ itemId }: PutItemRequest) => {
    sent.push(itemId);
    return {};
  };
  const run = start({ kind: "tag", tags: ["new"] }, [selected], { putItem }, () => newest);
  await endOf(run);
  expect([sent, summaryOf(run.snapshot()).failures.length]).toEqual([[], 1]);
});
