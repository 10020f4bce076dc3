import { fromJsonString } from "@bufbuild/protobuf";
import { ListItemsResponseSchema } from "@platform-rpc/types";
import { afterAll, describe, expect, it } from "vitest";
import { expectRpcError } from "./expect-rpc-error.js";
import { seeder, startPlatform, type TestCaller } from "./start-platform.js";

const test = await startPlatform();
afterAll(test.close);

const listItems = (body: unknown, caller?: TestCaller) => test.call("platform.v1.ItemService/ListItems", body, caller);

async function page(body: unknown, caller?: TestCaller) {
  const answer = await listItems(body, caller);
  expect(answer.status).toBe(200);
  const { items, nextPageToken } = fromJsonString(ListItemsResponseSchema, answer.body);
  return { ids: items.map(({ itemId }) => itemId), nextPageToken };
}

describe("ItemService.ListItems over HTTP", () => {
  it("lists the live items of a vault page by page, the least recently changed first", async () => {
    for (const itemId of ["i-1", "i-2", "i-3", "i-4"]) await test.putItem(itemId);
    await test.deleteItem({ vaultId: "v-1", itemId: "i-2", baseVersion: 1 });
    const first = await page({ vaultId: "v-1", pageSize: 2 });
    expect(first.ids).toEqual(["i-1", "i-3"]);
    const { nextPageToken: pageToken } = first;
    const second = await page({ vaultId: "v-1", pageToken }, { principalId: "p-viewer" });
    expect(second).toEqual({ ids: ["i-4"], nextPageToken: "" });
  });

  it("returns an empty list for an empty vault", async () => {
    const vault = { tenantId: "t-1", vaultId: "v-empty" };
    await test.platform.operations.createVault({ ...vault, retentionDays: 30 }, seeder);
    await test.platform.operations.setVaultMember({ ...vault, principalId: "p-owner", role: "owner" }, seeder);
    expect(await page({ vaultId: "v-empty" })).toEqual({ ids: [], nextPageToken: "" });
  });

  it.each([
    ["vaultId", { vaultId: "" }],
    ["pageSize", { vaultId: "v-1", pageSize: 101 }],
    ["pageToken", { vaultId: "v-1", pageToken: "next" }],
    ["pageToken", { vaultId: "v-1", pageToken: "4000000000" }],
  ])("fails with INVALID_FIELD that names %s: %j", async (field, body) => {
    const answer = await listItems(body);
    expectRpcError(answer, "INVALID_FIELD");
    expect(answer.body).toContain(`"field":"${field}"`);
  });

  it.each([
    ["a vault that does not exist", { vaultId: "v-unknown" }, {}],
    ["a vault of another tenant", { vaultId: "v-2" }, {}],
    ["a caller who is not a member", { vaultId: "v-1" }, { principalId: "p-stranger" }],
  ])("fails with VAULT_NOT_FOUND for %s", async (_name, body, caller) => {
    expectRpcError(await listItems(body, caller), "VAULT_NOT_FOUND");
  });

  it("fails with INSUFFICIENT_SCOPE for a token that may only delete", async () => {
    expectRpcError(await listItems({ vaultId: "v-1" }, { scopes: ["vault.items:delete"] }), "INSUFFICIENT_SCOPE");
  });
});
