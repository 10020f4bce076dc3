import { decodeJwt } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { byAgent, byOwner, delegate } from "./delegate.js";
import { expectRpcError, reasonOf } from "./expect-rpc-error.js";
import { seeder, startPlatform } from "./start-platform.js";
import type { WireAnswer } from "./wire-answer.js";

const page = "https://accounts.test/account";
const test = await startPlatform({ delegationPage: page });
afterAll(test.close);
const { platform, clock } = test;
const { operations } = platform;

const remove = (accessToken: string, itemId: string, { vaultId = "v-1", baseVersion = 1, requestId = "r-1" } = {}) =>
  test.send({
    headers: { Authorization: `Bearer ${accessToken}`, "X-Request-Id": requestId },
    body: { vaultId, itemId, baseVersion },
  });
const put = (name: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => test.putItem(`${name}-${index}`)));
/** Waits until no access state that was read before is used. */
const forgetAccess = () => clock.advance(1000);

describe("DECISIONS section 9: a budget of deletions, over the wire", () => {
  it("64 deletions at the same moment with a budget of 10: exactly 10 items are deleted", async () => {
    const { accessToken, grant } = await delegate(platform, { maxDeletions: 10 });
    const items = await put("parallel", 64);
    const answers = await Promise.all(items.map((itemId) => remove(accessToken, itemId)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const rejected = answers.filter(({ status }) => status !== 200);
    expect(rejected).toHaveLength(54);
    for (const answer of rejected) {
      const { message } = expectRpcError(answer, "DELEGATION_EXHAUSTED", { allowed: "10", used: "10", page });
      expect(message).toBe(
        `The budget of deletions is used: 10 of 10. Ask the person who approved to give more at ${page}, then call again.`,
      );
    }
    const [delegation] = await operations.listDelegations({ tenantId: "t-1", principalId: "p-owner" });
    expect(delegation).toMatchObject({ delegationId: grant.grantId, deletions: 10, renewable: true });
  });

  it("retries, conflicts and rejections use nothing, and a restoration gives nothing back", async () => {
    const { accessToken } = await delegate(platform, { maxDeletions: 2 });
    const [one = "", two = "", three = ""] = await put("uses", 3);
    expect((await remove(accessToken, one)).status).toBe(200);
    expect((await remove(accessToken, one)).status).toBe(200);
    expect(reasonOf(await remove(accessToken, two, { baseVersion: 7 }))).toBe("VERSION_CONFLICT");
    expect(reasonOf(await remove(accessToken, "none"))).toBe("ITEM_NOT_FOUND");
    await operations.restoreItem(
      { access: "administrator", tenantId: "t-1", vaultId: "v-1", itemId: one, baseVersion: 2 },
      seeder,
    );
    expect((await remove(accessToken, two)).status).toBe(200);
    expect(reasonOf(await remove(accessToken, one, { baseVersion: 3 }))).toBe("DELEGATION_EXHAUSTED");
    expect(reasonOf(await remove(accessToken, three))).toBe("DELEGATION_EXHAUSTED");
    // Nothing would be deleted, so the budget is not asked.
    expect((await remove(accessToken, two)).status).toBe(200);
    expect(reasonOf(await remove(accessToken, three, { baseVersion: 7 }))).toBe("VERSION_CONFLICT");
  });

  it("a refresh gives new tokens and no new budget", async () => {
    const first = await delegate(platform, { maxDeletions: 1 });
    const [one = "", two = ""] = await put("refresh", 2);
    await remove(first.accessToken, one);
    const request = { refreshToken: first.refreshToken, proofKeyId: "", scopes: undefined };
    const next = await operations.refreshTokens(request, byAgent);
    if (!next.ok) expect.unreachable(next.reason);
    expect(next.grant.grantId).not.toBe(first.grant.grantId);
    const accessToken = await platform.tokenIssuer.signAccessToken(next.grant);
    expectRpcError(await remove(accessToken, two), "DELEGATION_EXHAUSTED", { allowed: "1", used: "1", page });
  });

  it("more deletions that the person allows are possible with the next call, and its token is the same", async () => {
    const { accessToken, grant } = await delegate(platform, { maxDeletions: 0 });
    const { grantId: delegationId } = grant;
    const [one = "", two = ""] = await put("widen", 2);
    expect(reasonOf(await remove(accessToken, one))).toBe("DELEGATION_EXHAUSTED");
    const change = { delegationId, bounds: { maxDeletions: 1 } };
    expect(await operations.changeDelegation(change, byAgent)).toMatchObject({ ok: false });
    expect(await operations.changeDelegation(change, byOwner)).toMatchObject({ ok: true });
    expect((await remove(accessToken, one)).status).toBe(200);
    expect(reasonOf(await remove(accessToken, two))).toBe("DELEGATION_EXHAUSTED");
  });

  it("has no page in the metadata if the platform has none", async () => {
    const other = await startPlatform();
    const { accessToken } = await delegate(other.platform, { maxDeletions: 0 });
    const body = { vaultId: "v-1", itemId: await other.putItem("i-1"), baseVersion: 1 };
    const answer = await other.send({ headers: { Authorization: `Bearer ${accessToken}` }, body });
    expectRpcError(answer, "DELEGATION_EXHAUSTED", { allowed: "0", used: "0" });
    await other.close();
  });
});

describe("DECISIONS section 9: a vault or an action outside the bounds", () => {
  const outside = [
    ["another vault", { vaults: ["v-other"] }],
    ["no vault", { vaults: [] }],
    ["another action", { actions: ["read", "restore"] }],
  ] as const;

  it.each(outside)("%s: byte for byte the response to a principal who is not a member", async (_, bounds) => {
    const { accessToken } = await delegate(platform, bounds);
    const stranger = await test.issue({ principalId: "p-stranger" });
    const itemId = await test.putItem(`outside-${crypto.randomUUID()}`);
    const answer = await remove(accessToken, itemId);
    const { body, headers } = await remove(stranger.accessToken, itemId);
    expectRpcError(answer, "VAULT_NOT_FOUND");
    expect({ body: answer.body, headers: withoutDate(answer.headers) }).toEqual({
      body,
      headers: withoutDate(headers),
    });
    expect((await remove(accessToken, "none")).body).toBe(body);
  });

  it("a vault that the person has removed from the bounds is unknown from the next call on", async () => {
    const { accessToken, grant } = await delegate(platform, { vaults: ["v-1"] });
    const [one = "", two = ""] = await put("narrow", 2);
    expect((await remove(accessToken, one)).status).toBe(200);
    const change = { delegationId: grant.grantId, bounds: { vaults: ["v-other"] } };
    await operations.changeDelegation(change, byOwner);
    expect(reasonOf(await remove(accessToken, two))).toBe("VAULT_NOT_FOUND");
    forgetAccess();
    expect(reasonOf(await remove(accessToken, two))).toBe("VAULT_NOT_FOUND");
  });
});

describe("DECISIONS section 9: the end of a delegation", () => {
  it("its tokens are not valid after its time, to the millisecond, and valid again if the person continues it", async () => {
    const expiresAt = clock.now() + 60_000;
    const { accessToken, refreshToken, grant } = await delegate(platform, { expiresAt });
    const [one = "", two = ""] = await put("end", 2);
    expect(decodeJwt(accessToken).exp).toBe(Math.floor(expiresAt / 1000));
    await operations.changeDelegation(
      { delegationId: grant.grantId, bounds: { expiresAt: expiresAt - 30_000 } },
      byOwner,
    );
    clock.advance(29_999);
    expect((await remove(accessToken, one)).status).toBe(200);
    clock.advance(1);
    const ended = await remove(accessToken, two);
    expectRpcError(ended, "UNAUTHENTICATED");
    expect(ended.header("www-authenticate")).toBe('Bearer error="invalid_token"');
    const request = { refreshToken, proofKeyId: "", scopes: undefined };
    expect(await operations.refreshTokens(request, byAgent)).toEqual({ ok: false, reason: "REFRESH_TOKEN_INVALID" });
    await operations.changeDelegation(
      { delegationId: grant.grantId, bounds: { expiresAt: expiresAt + 3_600_000 } },
      byOwner,
    );
    forgetAccess();
    expect((await remove(accessToken, two)).status).toBe(200);
    expect(await operations.refreshTokens(request, byAgent)).toMatchObject({ ok: true });
  });

  it("its tokens and its refresh tokens are not valid once the person has ended it", async () => {
    const { accessToken, refreshToken, grant } = await delegate(platform, { maxDeletions: 5 });
    const [one = "", two = ""] = await put("ended", 2);
    expect((await remove(accessToken, one)).status).toBe(200);
    expect(await operations.endDelegation(grant.grantId, byAgent)).toBe(false);
    expect(await operations.endDelegation(grant.grantId, byOwner)).toBe(true);
    // The gate has cached the token, the deletion has not.
    expectRpcError(await remove(accessToken, two), "UNAUTHENTICATED");
    forgetAccess();
    expectRpcError(await remove(accessToken, two), "UNAUTHENTICATED");
    const request = { refreshToken, proofKeyId: "", scopes: undefined };
    expect(await operations.refreshTokens(request, byAgent)).toMatchObject({ ok: false });
    const listed = await operations.listDelegations({ tenantId: "t-1", principalId: "p-owner" });
    expect(listed.map(({ delegationId }) => delegationId)).not.toContain(grant.grantId);
  });
});

describe("RFC 9396 section 9.1: the claims of a token show what was agreed", () => {
  const expiresAt = clock.now() + 3_600_000;

  it("access token and broker token have authorization_details, which a later change does not alter", async () => {
    const bounds = { vaults: ["v-2", "v-1"], actions: ["delete", "read"], maxDeletions: 3, expiresAt } as const;
    const { accessToken, brokerToken, refreshToken, grant } = await delegate(platform, bounds);
    const agreed = { type: "vault", vaults: ["v-1", "v-2"], actions: ["read", "delete"], max_deletions: 3 };
    const details = [{ ...agreed, expires_at: Math.floor(expiresAt / 1000) }];
    expect(decodeJwt(accessToken)).toMatchObject({ authorization_details: details });
    expect(decodeJwt(brokerToken)).toMatchObject({ authorization_details: details });
    await operations.changeDelegation({ delegationId: grant.grantId, bounds: { maxDeletions: 9 } }, byOwner);
    const request = { refreshToken, proofKeyId: "", scopes: undefined };
    const next = await operations.refreshTokens(request, byAgent);
    if (!next.ok) expect.unreachable(next.reason);
    expect(decodeJwt(await platform.tokenIssuer.signAccessToken(next.grant))).toMatchObject({
      authorization_details: [{ type: "vault", max_deletions: 9 }],
    });
  });

  it("software that has asked for less gets no more than that", async () => {
    const { accessToken } = await delegate(
      platform,
      { vaults: ["v-1", "v-2"], maxDeletions: 10 },
      { vaults: ["v-2", "v-3"], maxDeletions: 3 },
    );
    expect(decodeJwt(accessToken)).toMatchObject({
      authorization_details: [{ type: "vault", vaults: ["v-2"], max_deletions: 3 }],
    });
  });

  it("a token without a delegation has none", async () => {
    const { accessToken } = await test.issue();
    expect(decodeJwt(accessToken)).not.toHaveProperty("authorization_details");
  });
});

function withoutDate(headers: WireAnswer["headers"]): WireAnswer["headers"] {
  return headers.filter(([name]) => name !== "date");
}
