import { randomUUID } from "node:crypto";
import { content } from "@platform-rpc/accounts/testing/item-content";
import { publicOperations } from "@platform-rpc/server/host";
import * as accountsContract from "@platform-rpc/types-internal/accounts";
import { decodeJwt } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { call, errorIn } from "../../../src/testing/call.js";
import { scopes, startMemberApp, tenantId } from "./testing/start-member-app.js";
import { tokenWithBounds } from "./testing/token-with-bounds.js";

const app = await startMemberApp();
const ada = await app.token({ principalId: "ada" });
const vaultId = await app.vault({ ada: "owner" });
const otherId = await app.vault({ ada: "owner" });
afterAll(() => app.end());

const approve = (bounds: object) => tokenWithBounds(app, "ada", bounds);

async function newItem(vault = vaultId): Promise<string> {
  const itemId = `i-${randomUUID()}`;
  await app.admin("VaultAdminService/PutItem", { tenantId, vaultId: vault, itemId, baseVersion: 0, ...content });
  return itemId;
}

const remove = (token: string, itemId: string, vault = vaultId) =>
  call(app.publicUrl, "platform.v1.VaultService/DeleteItem", { vaultId: vault, itemId, baseVersion: 1 }, token);

describe("an approval with bounds, by the private operation", () => {
  it("is as narrow as it says: its tokens show the bounds, and the last deletion leads to the page of the person", async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const token = await approve({ vaultIds: [vaultId], actions: ["delete"], maxDeletions: 1, expiresAt });
    expect(decodeJwt(token)).toMatchObject({
      authorization_details: [
        {
          type: "vault",
          vaults: [vaultId],
          actions: ["delete"],
          max_deletions: 1,
          expires_at: Math.floor(Date.parse(expiresAt) / 1000),
        },
      ],
    });
    expect((await remove(token, await newItem())).status).toBe(200);
    const exhausted = await remove(token, await newItem());
    expect(errorIn(exhausted)).toMatchObject({ status: 403, reason: "DELEGATION_EXHAUSTED" });
    expect(exhausted.json).toMatchObject({
      details: [{ debug: { metadata: { allowed: "1", used: "1", page: `${app.pagesUrl}/console/agents` } } }],
    });
    expect(errorIn(await remove(token, await newItem(otherId), otherId))).toMatchObject({ reason: "VAULT_NOT_FOUND" });
  });

  it("with empty lists is not limited: an empty list is an absent one", async () => {
    const token = await approve({ vaultIds: [], actions: [] });
    expect(decodeJwt(token)).toMatchObject({ authorization_details: [{ type: "vault" }] });
    expect(decodeJwt(token)).not.toHaveProperty(["authorization_details", 0, "vaults"]);
    expect((await remove(token, await newItem(otherId), otherId)).status).toBe(200);
  });

  it.each([
    [{ actions: ["shred"] }, "bounds.actions[0]"],
    [{ vaultIds: ["a b"] }, "bounds.vaultIds[0]"],
    [{ vaultIds: Array.from({ length: 21 }, (_, index) => `v-${index}`) }, "bounds.vaultIds"],
  ])("rejects %j", async (bounds, field) => {
    const approval = { tenantId, principalId: "ada", userCode: "BCDF-GHJK", scopes, bounds };
    const operation = "platform.internal.v1.DeviceAuthorizationService/ApproveDeviceAuthorization";
    const answer = await call(app.internalUrl, operation, approval, app.adminToken);
    expect(errorIn(answer)).toMatchObject({ status: 400, reason: "INVALID_FIELD", fields: [field] });
  });
});

const member = "platform.accounts.v1.MemberVaultService";

type Action = "read" | "write" | "delete" | "restore";

/** Each operation about a vault: what it does there, and a request about an item. */
type VaultOperation = readonly [operation: string, action: Action, request: (itemId: string) => object];

const head = { sequence: 1, items: 1, hash: "A".repeat(43), writerId: "ada", signature: "A".repeat(86) };
const ofMembers: readonly VaultOperation[] = [
  [`${member}/ListChanges`, "read", () => ({ limit: 1 })],
  [`${member}/GetItem`, "read", (itemId) => ({ itemId })],
  [`${member}/ListEarlierContents`, "read", (itemId) => ({ itemId })],
  [`${member}/PutItem`, "write", (itemId) => ({ itemId, baseVersion: 1, ...content })],
  [`${member}/PutItems`, "write", (itemId) => ({ items: [{ itemId, baseVersion: 1, ...content }] })],
  [`${member}/DeleteItems`, "delete", (itemId) => ({ items: [{ itemId, baseVersion: 1 }] })],
  [`${member}/RestoreItem`, "restore", (itemId) => ({ itemId, baseVersion: 2 })],
  [`${member}/RenameVault`, "write", () => ({ revision: 1, encryptedName: "bmFtZQ" })],
  [`${member}/DeleteVault`, "delete", () => ({})],
  [`${member}/PutVaultHead`, "write", () => ({ head })],
];
/** Is about no vault that exists: a test of its own follows. */
const creates = `${member}/CreateVault`;
/** It needs two vaults, so it has its own test below. */
const moves = `${member}/MoveItem`;
/** Software with bounds cannot call it at all: see item-use.engines.test.ts. */
const uses = "platform.accounts.v1.ItemUseService/UseItem";

const actionOf = z.enum(["read", "write", "delete", "restore"]);

/** Those of the public contract: the scope says what it does, and the fields of the request what it is about. */
const ofCallers = [...publicOperations.values()].flatMap(({ operation, method, requiredScopes }): VaultOperation[] => {
  const fields = method.input.fields.map(({ localName }) => localName);
  if (!fields.includes("vaultId")) return [];
  const action = actionOf.parse(requiredScopes[0]?.split(":").at(-1));
  const known = (itemId: string) => Object.entries({ itemId, baseVersion: 1 });
  return [[operation, action, (itemId) => Object.fromEntries(known(itemId).filter(([name]) => fields.includes(name)))]];
});

const operations = [...ofMembers, ...ofCallers];

describe("every operation about a vault", () => {
  it("is in the table, so that none is without bounds", () => {
    const ofContract = Object.values(accountsContract)
      .flatMap((each) => ("kind" in each && each.kind === "service" ? each.methods : []))
      .filter(({ input }) => input.fields.some(({ name }) => name === "vault_id"))
      .map(({ name, parent }) => `${parent.typeName}/${name}`);
    expect([creates, moves, uses, ...ofMembers.map(([operation]) => operation)].toSorted()).toEqual(
      ofContract.toSorted(),
    );
    expect(ofCallers.map(([operation]) => operation)).toContain("platform.v1.VaultService/DeleteItem");
  });

  it.each(operations)("%s: what the person has not approved does not exist", async (operation, action, request) => {
    const url = operation.startsWith(member) ? app.accountsUrl : app.publicUrl;
    const send = async (vault: string, token: string) =>
      call(url, operation, { vaultId: vault, ...request(await newItem(vault)) }, token);
    const toStranger = errorIn(await send(vaultId, await app.token({ principalId: "a-stranger" })));
    expect(toStranger).toMatchObject({ status: 404, reason: "VAULT_NOT_FOUND" });
    const others = ["read", "write", "delete", "restore", "use"].filter((each) => each !== action);
    const outside = await approve({ vaultIds: [vaultId], actions: [action] });
    const otherwise = await approve({ vaultIds: [vaultId], actions: others });
    expect(errorIn(await send(otherId, outside))).toEqual(toStranger);
    expect(errorIn(await send(vaultId, otherwise))).toEqual(toStranger);
    expect((await send(vaultId, outside)).text).not.toContain("VAULT_NOT_FOUND");
  });
});

describe("the member API for software with bounds", () => {
  it.each([{ vaultIds: ["some"] }, { actions: ["read", "delete"] }])("creates no vault with %j", async (bounds) => {
    const wanted = {
      vaultId: randomUUID(),
      key: { keyId: randomUUID(), wrappedKey: "a2V5" },
      encryptedName: "bmFtZQ",
    };
    const create = async (allowed: object) => app.member("CreateVault", wanted, await approve(allowed));
    expect(errorIn(await create(bounds))).toMatchObject({ status: 404, reason: "VAULT_NOT_FOUND" });
    expect((await create({ maxDeletions: 1 })).status).toBe(200);
  });

  it("deletes the first items of DeleteItems until the budget is used", async () => {
    const token = await approve({ maxDeletions: 2 });
    const itemIds = [await newItem(), await newItem(), await newItem(), await newItem()];
    await app.member("DeleteItems", { vaultId, items: [{ itemId: itemIds[0], baseVersion: 1 }] }, ada);
    const request = { vaultId, items: itemIds.map((itemId) => ({ itemId, baseVersion: 1 })) };
    const answer = await app.member("DeleteItems", request, token);
    const reasons = ["", "", "", "DELEGATION_EXHAUSTED"].map((reason) => ({ reason }));
    expect(answer.json).toMatchObject({ outcomes: reasons });
    expect((await app.member("DeleteItems", request, token)).json).toEqual(answer.json);
  });

  it("moves items only from a vault where it may delete to one where it may write, and counts a deletion for each", async () => {
    const request = (itemId: string) => {
      const toItem = { itemId: `m-${itemId}`, baseVersion: 0, ...content };
      return { vaultId, item: { itemId, baseVersion: 1 }, toVaultId: otherId, toItem };
    };
    const both = [vaultId, otherId];
    for (const bounds of [
      { vaultIds: [vaultId] },
      { vaultIds: [otherId] },
      { vaultIds: both, actions: ["write", "read"] },
      { vaultIds: both, actions: ["delete", "read"] },
    ]) {
      const refused = await app.member("MoveItem", request(await newItem()), await approve(bounds));
      expect(errorIn(refused)).toMatchObject({ status: 404, reason: "VAULT_NOT_FOUND" });
    }
    const token = await approve({ vaultIds: both, actions: ["write", "delete"], maxDeletions: 1 });
    const moved = request(await newItem());
    const answer = await app.member("MoveItem", moved, token);
    expect(answer.json).toMatchObject({ item: { vaultId: otherId, itemId: moved.toItem.itemId, version: 1 } });
    expect((await app.member("MoveItem", moved, token)).json).toEqual(answer.json);
    const exhausted = await app.member("MoveItem", request(await newItem()), token);
    expect(errorIn(exhausted)).toMatchObject({ status: 403, reason: "DELEGATION_EXHAUSTED" });
  });

  it("lists only the vaults that the person has approved", async () => {
    const listed = await app.member("ListVaults", {}, await approve({ vaultIds: [vaultId] }));
    expect(listed.json).toMatchObject({ vaults: [{ vaultId }], nextPageToken: "" });
  });
});
