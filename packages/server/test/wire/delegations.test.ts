import { decodeJwt } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { byAgent, byOwner, delegate } from "./delegate.js";
import { expectRpcError } from "./expect-rpc-error.js";
import { startPlatform } from "./start-platform.js";
import type { WireAnswer } from "./wire-answer.js";

const page = "https://accounts.test/account";
const test = await startPlatform({ delegationPage: page });
afterAll(test.close);
const { platform, clock } = test;
const { operations } = platform;

const remove = (accessToken: string, itemId: string) =>
  test.send({
    headers: { Authorization: `Bearer ${accessToken}`, "X-Request-Id": "r-1" },
    body: { vaultId: "v-1", itemId, baseVersion: 1 },
  });
const put = (name: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => test.putItem(`${name}-${index}`)));
/** Waits until no access state that was read before is used. */
const forgetAccess = () => clock.advance(1000);

// What a delegation allows is in testing/cases.
describe("DECISIONS section 9: a budget of deletions, over the wire", () => {
  it("beyond it, the error says how to get more, also with refreshed tokens, and the next call after more were given succeeds", async () => {
    const { accessToken, refreshToken, grant } = await delegate(platform, { maxDeletions: 1 });
    const [one = "", two = ""] = await put("budget", 2);
    expect((await remove(accessToken, one)).status).toBe(200);
    const request = { refreshToken, proofKeyId: "", scopes: undefined };
    const next = await operations.refreshTokens(request, byAgent);
    if (!next.ok) expect.unreachable(next.reason);
    expect(next.grant.grantId).not.toBe(grant.grantId);
    for (const token of [accessToken, await platform.tokenIssuer.signAccessToken(next.grant)]) {
      const answer = await remove(token, two);
      const { message } = expectRpcError(answer, "DELEGATION_EXHAUSTED", { allowed: "1", used: "1", page });
      expect(message).toBe(
        `The budget of deletions is used: 1 of 1. Ask the person who approved to give more at ${page}, then call again.`,
      );
    }
    const change = { delegationId: grant.grantId, bounds: { maxDeletions: 2 } };
    expect(await operations.changeDelegation(change, byOwner)).toMatchObject({ ok: true });
    expect((await remove(accessToken, two)).status).toBe(200);
  });
});

describe("DECISIONS section 9: a vault or an action outside the bounds", () => {
  it("gets byte for byte the response to a principal who is not a member", async () => {
    const { accessToken } = await delegate(platform, { vaults: ["v-other"] });
    const stranger = await test.issue({ principalId: "p-stranger" });
    const [itemId = ""] = await put("outside", 1);
    const answer = await remove(accessToken, itemId);
    const { body, headers } = await remove(stranger.accessToken, itemId);
    expectRpcError(answer, "VAULT_NOT_FOUND");
    expect({ body: answer.body, headers: withoutDate(answer.headers) }).toEqual({
      body,
      headers: withoutDate(headers),
    });
    expect((await remove(accessToken, "none")).body).toBe(body);
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
    expect(await operations.removeAccess(grant.grantId, byAgent)).toBe(false);
    expect(await operations.removeAccess(grant.grantId, byOwner)).toBe(true);
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
});

function withoutDate(headers: WireAnswer["headers"]): WireAnswer["headers"] {
  return headers.filter(([name]) => name !== "date");
}
