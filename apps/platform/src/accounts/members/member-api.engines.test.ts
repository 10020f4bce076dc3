import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorIn } from "../../testing/call.js";
import { content, type MemberApp, startMemberApp, tenantId } from "./testing/start-member-app.js";

let app: MemberApp;
let ada: string;
let eve: string;
beforeAll(async () => {
  app = await startMemberApp();
  ada = await app.token({ principalId: "ada" });
  eve = await app.token({ principalId: "eve" });
});
afterAll(() => app.end());

/** Makes a call as a member that must succeed, and returns its response. */
async function done(method: string, body: object, token = ada): Promise<unknown> {
  const { status, json, text } = await app.member(method, body, token);
  expect(status, text).toBe(200);
  return json;
}

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

  it("applies a change of membership to the next call", async () => {
    const vaultId = await app.vault({ ada: "owner" });
    await done("PutItem", { vaultId, itemId: "i-1", baseVersion: 0, ...content });
    const setRole = (role: string) =>
      app.admin("VaultAdminService/SetVaultMember", { tenantId, vaultId, principalId: "ada", role });
    await setRole("viewer");
    const put = { vaultId, itemId: "i-1", baseVersion: 1, ...content };
    expect(errorIn(await app.member("PutItem", put, ada))).toMatchObject({ reason: "ROLE_FORBIDS_CHANGE" });
    await setRole("");
    for (const [method, body] of [
      ["GetItem", { vaultId, itemId: "i-1" }],
      ["PutItem", put],
      ["ListChanges", { vaultId, limit: 1 }],
    ] as const) {
      expect(errorIn(await app.member(method, body, ada))).toMatchObject({ status: 404, reason: "VAULT_NOT_FOUND" });
    }
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

  it("does not wait when there are changes, and returns none when the time is over", async () => {
    const vaultId = await app.vault({ ada: "owner" });
    await done("PutItem", { vaultId, itemId: "i-1", baseVersion: 0, ...content });
    expect(await done("ListChanges", { vaultId, limit: 1, waitSeconds: 25 })).toMatchObject({ changes: [{}] });
    const nothing = { changes: [], cursor: { vaultId, sequence: 1 }, hasMore: false };
    expect(await done("ListChanges", { vaultId, afterSequence: 1, limit: 1, waitSeconds: 1 })).toEqual(nothing);
  });

  it("ends before the deadline of the call", async () => {
    const vaultId = await app.vault({ ada: "owner" });
    const response = await fetch(`${app.accountsUrl}/platform.accounts.v1.MemberVaultService/ListChanges`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${ada}`,
        "Content-Type": "application/json",
        "Connect-Protocol-Version": "1",
        "Connect-Timeout-Ms": "1200",
      },
      body: JSON.stringify({ vaultId, limit: 1, waitSeconds: 25 }),
    });
    expect(await response.json()).toMatchObject({ changes: [] });
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

  it("a wait ends within 5 s once its token is revoked, although the vault has no change", async () => {
    const vaultId = await app.vault({ gus: "owner" });
    const gus = await app.token({ principalId: "gus" });
    const revoking = performance.now();
    const waiting = app.member("ListChanges", { vaultId, limit: 1, waitSeconds: 25 }, gus);
    await app.admin("AccessAdminService/RevokeToken", { tokenId: decodeJwt(gus).jti });
    expect(errorIn(await waiting)).toMatchObject({ status: 401, reason: "UNAUTHENTICATED" });
    expect(performance.now() - revoking).toBeLessThan(5000);
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
