import { content } from "@platform-rpc/accounts/testing/item-content";
import { decodeJwt } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { errorIn } from "../../../src/testing/call.js";
import { startMemberApp, tenantId } from "./testing/start-member-app.js";

const app = await startMemberApp();
const ada = await app.token({ principalId: "ada" });
const eve = await app.token({ principalId: "eve" });
afterAll(() => app.end());

/** Makes a call as a member that must succeed, and returns its response. */
async function done(method: string, body: object, token = ada): Promise<unknown> {
  const { status, json, text } = await app.member(method, body, token);
  expect(status, text).toBe(200);
  return json;
}

const watched = z.object({
  cursors: z.array(z.object({ vaultId: z.string(), sequence: z.number() })),
  state: z.string(),
});

/** What a vault without a key has. */
const keyless = { encryptedName: "", revision: 0, deleted: false };
const item = (vaultId: string, itemId: string) => ({ tenantId, vaultId, itemId, ...content });

describe("the member API", () => {
  it("ListVaults lists the caller's vaults with role, retention and position, in pages", async () => {
    const cy = await app.token({ principalId: "cy" });
    expect(await done("ListVaults", {}, cy)).toEqual({ vaults: [], nextPageToken: "" });
    const ids = [await app.vault({ cy: "owner" }), await app.vault({ cy: "viewer", ada: "owner" }, 7)];
    const [changed = "", read = ""] = ids;
    await app.vault({ ada: "owner" });
    await done("PutItem", { vaultId: changed, baseVersion: 0, ...content }, cy);
    const vaults = [
      { vaultId: changed, role: "owner", retentionDays: 30, cursor: { vaultId: changed, sequence: 1 }, ...keyless },
      { vaultId: read, role: "viewer", retentionDays: 7, cursor: { vaultId: read, sequence: 0 }, ...keyless },
    ].sort((a, b) => (a.vaultId < b.vaultId ? -1 : 1));
    expect(await done("ListVaults", {}, cy)).toEqual({ vaults, nextPageToken: "" });
    const [first, second] = vaults;
    const page = await done("ListVaults", { pageSize: 1 }, cy);
    expect(page).toEqual({ vaults: [first], nextPageToken: first?.vaultId });
    expect(await done("ListVaults", { pageSize: 1, pageToken: first?.vaultId }, cy)).toEqual({
      vaults: [second],
      nextPageToken: "",
    });
  });
});

describe("ListEarlierContents", () => {
  it("returns what an item contained before, the newest first, to every member", async () => {
    const vaultId = await app.vault({ ada: "owner", eve: "viewer" });
    const place = { vaultId, itemId: "i-1" };
    for (const [baseVersion, kind] of ["login", "card", "custom"].entries())
      await done("PutItem", { ...place, ...content, baseVersion, kind });
    const [updatedAt, replacedAt] = [expect.stringMatching(/Z$/), expect.stringMatching(/Z$/)];
    const replaced = [
      { version: 2, updatedAt, replacedAt, ...content, kind: "card" },
      { version: 1, updatedAt, replacedAt, ...content, kind: "login" },
    ];
    for (const token of [ada, eve])
      expect(await done("ListEarlierContents", place, token)).toEqual({ contents: replaced });
  });
});

describe("MoveItem", () => {
  it("deletes the item with its proof, and creates it in the other vault with its earlier contents", async () => {
    const [vaultId, toVaultId] = [await app.vault({ ada: "owner" }), await app.vault({ ada: "member" })];
    await done("PutItem", { vaultId, itemId: "i-1", ...content, baseVersion: 0 });
    const proof = { writerId: "ada", signature: "A".repeat(86) };
    const times = { updatedAt: new Date(1_000_000_000_000).toISOString(), replacedAt: new Date().toISOString() };
    const earlier = [{ version: 1, ...times, ...content, kind: "card" }];
    const toItem = { itemId: "i-2", baseVersion: 0, ...content };
    const request = { vaultId, item: { itemId: "i-1", baseVersion: 1, proof }, toVaultId, toItem, earlier };
    const moved = await done("MoveItem", request);
    expect(moved).toMatchObject({ item: { vaultId: toVaultId, itemId: "i-2", version: 1 }, cursor: { sequence: 1 } });
    expect(await done("MoveItem", request)).toEqual(moved);
    expect(await done("GetItem", { vaultId, itemId: "i-1" })).toMatchObject({
      item: { version: 2, deleted: true },
      deletionProofs: { deleted: proof },
    });
    const listed = await done("ListEarlierContents", { vaultId: toVaultId, itemId: "i-2" });
    expect(JSON.parse(JSON.stringify(listed).replace("2001-09-09T01:46:40Z", times.updatedAt))).toEqual({
      contents: earlier,
    });
  });

  it("counts a content that was replaced later than now as replaced now: it can be listed, and does not stay for longer", async () => {
    const [vaultId, toVaultId] = [await app.vault({ ada: "owner" }), await app.vault({ ada: "member" })];
    await done("PutItem", { vaultId, itemId: "i-1", ...content, baseVersion: 0 });
    const last = "9999-12-31T23:59:59.999999999Z";
    const earlier = [{ version: 1, updatedAt: last, replacedAt: last, ...content }];
    const toItem = { itemId: "i-2", baseVersion: 0, ...content };
    await done("MoveItem", { vaultId, item: { itemId: "i-1", baseVersion: 1 }, toVaultId, toItem, earlier });
    const listed = await done("ListEarlierContents", { vaultId: toVaultId, itemId: "i-2" });
    expect(JSON.stringify(listed)).not.toMatch(/"[3-9]\d{3}-/);
    expect(listed).toMatchObject({ contents: [{ version: 1 }] });
  });

  it("rejects the vault of the item, a base version of the new one, and one that is too large", async () => {
    const vaultId = await app.vault({ ada: "owner" });
    const [key] = content.wrappedKeys;
    const wrappedKeys = Array.from({ length: 256 }, () => ({ ...key, wrappedKey: "a2V5".repeat(64) }));
    const large = { ...content, wrappedKeys };
    const toItem = { itemId: "i-2", baseVersion: 1, ...large };
    const request = { vaultId, item: { itemId: "i-1", baseVersion: 1 }, toVaultId: vaultId, toItem };
    const fields = ["toVaultId", "toItem.baseVersion", "toItem"];
    expect(errorIn(await app.member("MoveItem", request, ada))).toMatchObject({ reason: "INVALID_FIELD", fields });
  });
});

describe("waiting for changes: ListChanges with waitSeconds", () => {
  it("returns the next change of the vault, also one of another caller", async () => {
    const vaultId = await app.vault({ ada: "owner", eve: "viewer" });
    const waiting = [ada, eve].map((token) => done("ListChanges", { vaultId, limit: 9, waitSeconds: 25 }, token));
    await done("GetItem", { vaultId: await app.vault({ ada: "owner" }), itemId: "i-1" }).catch(() => {});
    await app.admin("VaultAdminService/PutItem", { ...item(vaultId, "i-1"), baseVersion: 0 });
    for (const answer of await Promise.all(waiting)) {
      expect(answer).toMatchObject({ changes: [{ sequence: 1, item: { itemId: "i-1" } }], cursor: { sequence: 1 } });
    }
  });

  it("checks the token again: one that was revoked during the wait gets no changes", async () => {
    const vaultId = await app.vault({ fay: "owner" });
    const fay = await app.token({ principalId: "fay" });
    const waiting = app.member("ListChanges", { vaultId, limit: 1, waitSeconds: 25 }, fay);
    await app.admin("AccessAdminService/SetPrincipal", { tenantId, principalId: "fay", active: false });
    // The gate knows within a second.
    await expect.poll(async () => (await app.member("ListVaults", {}, fay)).status).toBe(401);
    await app.admin("VaultAdminService/PutItem", { ...item(vaultId, "i-1"), baseVersion: 0 });
    expect(errorIn(await waiting)).toMatchObject({ status: 401, reason: "UNAUTHENTICATED" });
  });

  it("a wait ends before its time once its token is revoked, although the vault has no change", async () => {
    const vaultId = await app.vault({ gus: "owner" });
    const gus = await app.token({ principalId: "gus" });
    const revoking = performance.now();
    const waiting = app.member("ListChanges", { vaultId, limit: 1, waitSeconds: 25 }, gus);
    await app.admin("AccessAdminService/RevokeToken", { tokenId: decodeJwt(gus).jti });
    expect(errorIn(await waiting)).toMatchObject({ status: 401, reason: "UNAUTHENTICATED" });
    // It is checked every 2 s. A busy machine needs more.
    expect(performance.now() - revoking).toBeLessThan(20_000);
  });

  it("WatchVaults waits for all vaults of the caller, also for one that is shared during the wait", async () => {
    const kim = await app.token({ principalId: "kim" });
    const vaultIds = [await app.vault({ kim: "owner" }), await app.vault({ kim: "viewer" })].sort();
    const watchVaults = async (state: string) =>
      watched.parse(await done("WatchVaults", { state, waitSeconds: 25 }, kim));
    const first = await watchVaults("");
    expect(first.cursors).toEqual(vaultIds.map((vaultId) => ({ vaultId, sequence: 0 })));
    const changing = watchVaults(first.state);
    const [, changed = ""] = vaultIds;
    await app.admin("VaultAdminService/PutItem", { ...item(changed, "i-1"), baseVersion: 0 });
    const second = await changing;
    expect(second.cursors.at(1)).toEqual({ vaultId: changed, sequence: 1 });
    const sharing = watchVaults(second.state);
    const shared = await app.vault({ kim: "viewer" });
    expect((await sharing).cursors).toContainEqual({ vaultId: shared, sequence: 0 });
  });

  it("is limited for each principal, and ends at once when the app stops", async () => {
    const stopping = await startMemberApp();
    const token = await stopping.token({ principalId: "ada" });
    const vaultId = await stopping.vault({ ada: "owner" });
    const waiting = Array.from({ length: 11 }, () =>
      stopping.member("ListChanges", { vaultId, limit: 1, waitSeconds: 25 }, token),
    );
    const first = await Promise.race(waiting);
    expect(errorIn(first)).toMatchObject({ status: 429, reason: "RATE_LIMITED" });
    expect(first.headers.get("Retry-After")).toBe("1");
    await stopping.end();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  });
});
