import { setTimeout } from "node:timers/promises";
import { newKey, post, textOf } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../testing/call.js";
import { clientId, deletion, type OAuthApp, startOAuthApp, tenantId } from "./testing/oauth-app.js";

let app: OAuthApp;
beforeAll(async () => {
  app = await startOAuthApp({ RATE_LIMITS: "off" });
});
afterAll(() => app.end());

const invalidGrant = { error: "invalid_grant", error_description: expect.any(String) };

/** Waits until a replaced refresh token is rejected: at most a second after an access token of its successor was used. */
async function rejected(refreshToken: string): Promise<void> {
  await expect
    .poll(async () => (await app.refresh(refreshToken)).json, { timeout: 10_000, interval: 100 })
    .toEqual(invalidGrant);
}

/** Returns whether the API accepts a token within the second in which a revocation takes effect. */
async function acceptedAfterRevocation(accessToken: string): Promise<boolean> {
  await setTimeout(1000);
  return (await app.callApi(accessToken)) !== 401;
}

describe("refresh tokens (RFC 6749 section 6, RFC 9700 section 4.14.2)", () => {
  it("each refresh returns a new access token and the next refresh token", async () => {
    const first = await app.signIn();
    const second = await app.refresh(textOf(first, "refresh_token"));
    expect(second.json).toMatchObject({
      token_type: "Bearer",
      expires_in: expect.any(Number),
      scope: first.json.scope,
    });
    expect(second.json.refresh_token).not.toBe(first.json.refresh_token);
    expect(decodeJwt(textOf(second, "access_token")).jti).not.toBe(decodeJwt(textOf(first, "access_token")).jti);
    expect(await app.callApi(textOf(second, "access_token"))).toBe(404);
    expect(await app.callApi(textOf(first, "access_token"))).toBe(404);
  });

  it("20 calls at once with one token get one successor, and end nothing", async () => {
    const { json } = await app.signIn();
    const token = String(json.refresh_token);
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.refresh(token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map((answer) => textOf(answer, "refresh_token"))).size).toBe(1);
    expect(new Set(answers.map((answer) => textOf(answer, "access_token"))).size).toBe(1);
    const [answer] = answers;
    expect((await app.refresh(String(answer?.json.refresh_token))).status).toBe(200);
  });

  it("20 calls at once with one token and proofs of one key get one successor", async () => {
    const key = newKey();
    const token = textOf(await app.signIn(key), "refresh_token");
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.refresh(token, {}, key)));
    expect(new Set(answers.map((answer) => textOf(answer, "refresh_token"))).size).toBe(1);
  });
});

describe("DECISIONS section 9: a lost answer is not a theft", () => {
  it("once the API has accepted the new access token, a thief who sends the replaced token ends the session", async () => {
    const first = await app.signIn();
    const second = await app.refresh(textOf(first, "refresh_token"));
    expect(await app.callApi(textOf(second, "access_token"))).toBe(404);
    await rejected(textOf(first, "refresh_token"));
    expect((await app.refresh(textOf(second, "refresh_token"))).json).toEqual(invalidGrant);
    expect(await acceptedAfterRevocation(textOf(second, "access_token"))).toBe(false);
  });

  it("the member API counts as a use of the access token", async () => {
    const first = await app.signIn();
    const second = await app.refresh(textOf(first, "refresh_token"));
    // The client may not list vaults: a token that was accepted counts, whatever it allows.
    const listVaults = "platform.accounts.v1.MemberVaultService/ListVaults";
    expect((await call(app.accounts, listVaults, {}, textOf(second, "access_token"))).status).toBe(403);
    await rejected(textOf(first, "refresh_token"));
  });
});

describe("revocation (RFC 7009)", () => {
  const revoke = (token: string, form = {}) =>
    post(`${app.accounts}/oauth/revoke`, { token, client_id: clientId, ...form });

  it("a refresh token is revoked with its family: no access token of it works after a second", async () => {
    const first = await app.signIn();
    const second = await app.refresh(textOf(first, "refresh_token"));
    expect((await revoke(textOf(first, "refresh_token"))).status).toBe(200);
    expect((await app.refresh(textOf(second, "refresh_token"))).json).toEqual(invalidGrant);
    expect(await acceptedAfterRevocation(textOf(first, "access_token"))).toBe(false);
    expect(await acceptedAfterRevocation(textOf(second, "access_token"))).toBe(false);
  });

  it.each(["https://platform.example/api", "https://platform.example/broker"])(
    "an access token for %s is revoked alone",
    async (resource) => {
      const first = await app.signIn(undefined, { resource });
      const second = await app.refresh(textOf(first, "refresh_token"));
      expect((await revoke(textOf(second, "access_token"))).status).toBe(200);
      expect(await acceptedAfterRevocation(textOf(second, "access_token"))).toBe(false);
      expect((await app.refresh(textOf(second, "refresh_token"))).status).toBe(200);
    },
  );

  it.each(["unknown", "prt_x.1.y", "a.b.c"])("the unknown token %s: 200", async (token) => {
    const { status, json, headers } = await revoke(token);
    expect([status, json, headers.get("cache-control")]).toEqual([200, {}, "no-store"]);
  });

  it("a revocation without a Content-Type is read as a form (RFC 9110 section 8.3)", async () => {
    const token = textOf(await app.signIn(), "refresh_token");
    const form = new URLSearchParams({ token, client_id: clientId });
    const body = new TextEncoder().encode(form.toString());
    const sent = new Request(`${app.accounts}/oauth/revoke`, { method: "POST", body });
    expect(sent.headers.has("Content-Type")).toBe(false);
    expect((await fetch(sent)).status).toBe(200);
    expect((await app.refresh(token)).json.error).toBe("invalid_grant");
  });

  it("only the client of a token can revoke it", async () => {
    const client = { tenantId, oauthClientId: "other", name: "O", allowedOperations: [deletion], enabled: true };
    await app.admin("AccessAdminService/SetOauthClient", client);
    const answer = await app.signIn();
    for (const name of ["refresh_token", "access_token"]) {
      const refused = await revoke(textOf(answer, name), { client_id: "other" });
      expect(refused).toMatchObject({ status: 400, json: { error: "unauthorized_client" } });
    }
    expect((await app.refresh(textOf(answer, "refresh_token"))).status).toBe(200);
  });
});
