import { content } from "@platform-rpc/accounts/testing/item-content";
import { signUpPerson } from "@platform-rpc/accounts/testing/person";
import { openSiteBrowser } from "@platform-rpc/accounts/testing/site-browser";
import { decodeJwt } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { type Answered, call, errorIn } from "../../../src/testing/call.js";
import { reasonIn } from "../../../src/testing/item-answer.js";
import { approvedAgent } from "./testing/approved-agent.js";
import { startMemberApp, tenantId } from "./testing/start-member-app.js";
import { tokenWithBounds } from "./testing/token-with-bounds.js";

const operation = "platform.accounts.v1.ItemUseService";
const scopes = ["vault.items:use"];

const app = await startMemberApp({ RATE_LIMITS: "off" });
const ada = await app.token({ principalId: "ada", scopes });
const vaultId = await app.vault({ ada: "viewer" });
await app.admin("VaultAdminService/PutItem", { tenantId, vaultId, itemId: "i-1", baseVersion: 0, ...content });
afterAll(() => app.end());

const approve = (bounds: object, principalId = "ada") => approvedAgent(app, principalId, bounds);
const request = (tokenId: string, changes: object = {}) => ({
  ...{ vaultId, itemId: "i-1", baseVersion: 1, tokenId, host: "api.example", useId: crypto.randomUUID() },
  ...changes,
});
const use = (body: object, token = ada) => call(app.accountsUrl, `${operation}/UseItem`, body, token);
const report = (useId: string, outcome: string, token = ada) =>
  call(app.accountsUrl, `${operation}/ReportItemUse`, { useId, outcome }, token);
/** Returns the metadata of an error. */
const metadataIn = ({ json }: Answered) => Object(json).details[0].debug.metadata;

describe("ItemUseService", () => {
  it("counts each use within the bounds, and returns the item as it is stored", async () => {
    const agent = await approve({ vaultIds: [vaultId], actions: ["use"], maxUses: 2, hosts: ["api.example"] });
    expect(decodeJwt(agent.accessToken)).toMatchObject({
      authorization_details: [{ type: "vault", actions: ["use"], max_uses: 2, hosts: ["api.example"] }],
    });
    const first = request(agent.tokenId);
    const item = { itemId: "i-1", version: 1, encryptedPayload: content.encryptedPayload };
    expect((await use(first)).json).toMatchObject({ item, uses: 1, maxUses: 2 });
    expect((await use(first)).json).toMatchObject({ item, uses: 1, maxUses: 2 });
    expect((await use(request(agent.tokenId))).json).toMatchObject({ uses: 2 });
    const exhausted = await use(request(agent.tokenId));
    expect(errorIn(exhausted)).toMatchObject({ status: 403, reason: "DELEGATION_EXHAUSTED" });
    const page = `${app.pagesUrl}/console/agents`;
    expect(metadataIn(exhausted)).toMatchObject({ allowed: "2", used: "2", page });
    expect((await use(first)).json).toMatchObject({ uses: 1 });
    expect(errorIn(await use({ ...first, host: "api.example:8443" }))).toMatchObject({ reason: "USE_NOT_APPROVED" });
    expect((await report(first.useId, "not_sent")).json).toEqual({});
    expect(reasonIn(await report(crypto.randomUUID(), "unknown"))).toBe("ITEM_NOT_FOUND");
  });

  it("an id of a use with other values is an invalid field", async () => {
    const agent = await approve({ maxUses: 5 });
    const first = request(agent.tokenId);
    expect((await use(first)).status).toBe(200);
    const other = await use({ ...first, host: "other.example" });
    expect(errorIn(other)).toMatchObject({ reason: "INVALID_FIELD", fields: ["useId"] });
    expect((await use(request(agent.tokenId))).json).toMatchObject({ uses: 2 });
  });

  it("what the agent has allows it nothing: not as the caller, and not as the token that it names", async () => {
    const agent = await approve({ maxUses: 5 });
    for (const send of [
      () => use(request(agent.tokenId), agent.accessToken),
      () => report(request("t").useId, "unknown", agent.accessToken),
    ])
      expect(reasonIn(await send())).toBe("VAULT_NOT_FOUND");
    expect(reasonIn(await use(request(decodeJwt(agent.accessToken).jti ?? "")))).toBe("USE_APPROVAL_ENDED");
    const bounded = await tokenWithBounds(app, "ada", { maxUses: 1 }, scopes);
    expect(reasonIn(await use(request(agent.tokenId), bounded))).toBe("VAULT_NOT_FOUND");
    const reader = await app.token({ principalId: "ada", scopes: ["vault.items:read"] });
    expect(reasonIn(await use(request(agent.tokenId), reader))).toBe("INSUFFICIENT_SCOPE");
    const other = await app.token({ principalId: "ada", oauthClientId: "agent", scopes });
    expect(reasonIn(await use(request(agent.tokenId), other))).toBe("VAULT_NOT_FOUND");
  });

  it("uses nothing with the token of another person, a revoked one, or an approval without a delegation", async () => {
    const agent = await approve({ maxUses: 5 });
    const bob = await app.token({ principalId: "bob", scopes });
    expect(reasonIn(await use(request(agent.tokenId), bob))).toBe("VAULT_NOT_FOUND");
    const own = await app.vault({ bob: "owner" });
    await app.admin("VaultAdminService/PutItem", { tenantId, vaultId: own, itemId: "i-1", baseVersion: 0, ...content });
    expect(reasonIn(await use(request(agent.tokenId, { vaultId: own }), bob))).toBe("USE_APPROVAL_ENDED");
    await app.admin("AccessAdminService/RevokeToken", { tokenId: agent.tokenId });
    expect(reasonIn(await use(request(agent.tokenId)))).toBe("USE_APPROVAL_ENDED");
    const unbounded = await approvedAgent(app, "ada", undefined);
    expect(reasonIn(await use(request(unbounded.tokenId)))).toBe("USE_NOT_APPROVED");
  });

  it.each([
    { host: "API.example" },
    { host: "https://api.example" },
    { host: "api.example/path" },
    { useId: "1" },
    { baseVersion: 0 },
  ])("rejects %j", async (changes) => {
    expect(errorIn(await use(request("t", changes)))).toMatchObject({
      reason: "INVALID_FIELD",
      fields: Object.keys(changes),
    });
  });

  it("a person who wants to be asked allows one use on the page that the error names", async () => {
    const { browser, accountId: principalId } = await signUpPerson({
      openBrowser: () => openSiteBrowser(app.pagesUrl),
    });
    const place = { vaultId: principalId, itemId: "i-1" };
    await app.admin("VaultAdminService/PutItem", { tenantId, ...place, baseVersion: 0, ...content });
    const token = await app.token({ principalId, scopes });
    const agent = await approve({ asksEachTime: true, maxUses: 5 }, principalId);
    const first = request(agent.tokenId, place);
    const asked = await use(first, token);
    expect(errorIn(asked)).toMatchObject({ status: 400, reason: "USE_NOT_CONFIRMED" });
    const page = new URL(metadataIn(asked).page);
    const answered = await browser.send(page.pathname + page.search, { form: { decision: "allow" } });
    expect(answered.status).toBe(200);
    expect((await use(first, token)).json).toMatchObject({ uses: 1 });
    expect((await use(first, token)).json).toMatchObject({ uses: 1 });
    expect(reasonIn(await use(request(agent.tokenId, place), token))).toBe("USE_NOT_CONFIRMED");
    const { body } = await browser.send("/account/api/activity");
    const used = Object(body).entries.find(({ event }: { readonly event: string }) => event.startsWith("used"));
    const software = { id: "agent", name: "Agent" };
    expect(used).toMatchObject({
      by: "you",
      event: "used at api.example: 1 of 5",
      subject: `item:${principalId}/i-1`,
      software,
    });
    const { body: listed } = await browser.send("/account/api/delegations");
    expect(Object(listed).delegations).toContainEqual(expect.objectContaining({ used: { deletions: 0, uses: 1 } }));
  });
});
