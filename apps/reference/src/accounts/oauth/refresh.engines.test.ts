import { setTimeout } from "node:timers/promises";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../testing/call.js";
import {
  clientId,
  deleteScope,
  deletion,
  newKey,
  type OAuthApp,
  post,
  startOAuthApp,
  textOf,
} from "./testing/oauth-app.js";

/** Creates clocks that a test advances. The tokens and families of its app follow them. */
function newClocks() {
  let ahead = 0;
  return {
    wall: () => Date.now() + ahead,
    monotonic: () => performance.now() + ahead,
    advance: (ms: number) => {
      ahead += ms;
    },
  };
}
const minute = 60_000;

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

  it("a token that another client sends revokes the family", async () => {
    const client = {
      tenantId: "acme",
      oauthClientId: "other",
      name: "O",
      allowedOperations: [deletion],
      enabled: true,
    };
    await app.admin("AccessAdminService/SetOauthClient", client);
    const token = textOf(await app.signIn(), "refresh_token");
    expect((await app.refresh(token, { client_id: "other" })).json).toEqual(invalidGrant);
    expect((await app.refresh(token)).json).toEqual(invalidGrant);
  });

  it("a device code that another client sends after its use revokes the family, too", async () => {
    const { deviceCode, userCode } = await app.start();
    await app.approve(userCode);
    const form = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: deviceCode };
    const answer = await post(app.token, { ...form, client_id: clientId });
    expect((await post(app.token, { ...form, client_id: "other" })).json).toEqual(invalidGrant);
    expect((await app.refresh(textOf(answer, "refresh_token"))).json).toEqual(invalidGrant);
  });

  it("a family lives for 30 days", async () => {
    const time = newClocks();
    const other = await startOAuthApp({ RATE_LIMITS: "off" }, time);
    const answer = await other.signIn();
    time.advance(30 * 24 * 60 * minute - 1000);
    const last = await other.refresh(textOf(answer, "refresh_token"));
    expect(last.json).toMatchObject({ expires_in: expect.toSatisfy((seconds: number) => seconds <= 1) });
    time.advance(1000);
    expect((await other.refresh(textOf(last, "refresh_token"))).json).toEqual(invalidGrant);
    await other.end();
  });

  it("a disabled client or an inactive user gets nothing, and continues once that is over", async () => {
    const token = textOf(await app.signIn(), "refresh_token");
    await app.setClient(false);
    expect(await app.refresh(token)).toMatchObject({ status: 401, json: { error: "invalid_client" } });
    await app.setClient(true);
    await app.setPrincipal(false);
    expect((await app.refresh(token)).json).toEqual(invalidGrant);
    await app.setPrincipal(true);
    expect((await app.refresh(token)).status).toBe(200);
  });

  it("scopes can be fewer, but never more", async () => {
    const token = textOf(await app.signIn(), "refresh_token");
    expect((await app.refresh(token, { scope: "other" })).json).toMatchObject({ error: "invalid_scope" });
    const narrowed = await app.refresh(token, { scope: deleteScope });
    expect(narrowed.json.scope).toBe(deleteScope);
    await app.setClient(true, [deletion]);
    expect((await app.refresh(textOf(narrowed, "refresh_token"))).json.scope).toBe(deleteScope);
    await app.setClient(true);
  });
});

describe("DECISIONS section 9: a lost answer is not a theft", () => {
  it("20 sessions whose refresh answers were lost in an outage of 65 s continue with the same tokens", async () => {
    const time = newClocks();
    const other = await startOAuthApp({ RATE_LIMITS: "off" }, time);
    const sessions = await Promise.all(Array.from({ length: 20 }, () => other.signIn()));
    const refreshAll = () => Promise.all(sessions.map((session) => other.refresh(textOf(session, "refresh_token"))));
    const lost = await refreshAll();
    time.advance(65_000);
    const repeated = await refreshAll();
    expect(repeated.map(({ status }) => status)).toEqual(Array(20).fill(200));
    for (const [index, { json }] of repeated.entries()) {
      const remaining = expect.toSatisfy((seconds: number) => seconds <= 900 - 65);
      expect(json).toEqual({ ...lost[index]?.json, expires_in: remaining });
      expect(await other.callApi(String(json.access_token))).toBe(404);
      expect((await other.refresh(String(json.refresh_token))).status).toBe(200);
    }
    await other.end();
  });

  it("a session continues after an outage of a week, with the same successor and a new access token", async () => {
    const time = newClocks();
    const other = await startOAuthApp({ RATE_LIMITS: "off" }, time);
    const first = await other.signIn();
    const lost = await other.refresh(textOf(first, "refresh_token"));
    time.advance(7 * 24 * 60 * minute);
    const repeated = await other.refresh(textOf(first, "refresh_token"));
    expect(repeated.json).toMatchObject({ refresh_token: lost.json.refresh_token, expires_in: 900 });
    expect(await other.callApi(textOf(lost, "access_token"))).toBe(401);
    expect(await other.callApi(textOf(repeated, "access_token"))).toBe(404);
    expect((await other.refresh(textOf(repeated, "refresh_token"))).status).toBe(200);
    await other.end();
  });

  it("once the successor was used, a replaced token ends the session with its access tokens", async () => {
    const first = await app.signIn();
    const second = await app.refresh(textOf(first, "refresh_token"));
    const third = await app.refresh(textOf(second, "refresh_token"));
    expect((await app.refresh(textOf(first, "refresh_token"))).json).toEqual(invalidGrant);
    expect((await app.refresh(textOf(third, "refresh_token"))).json).toEqual(invalidGrant);
    for (const answer of [first, second, third]) {
      expect(await acceptedAfterRevocation(textOf(answer, "access_token"))).toBe(false);
    }
  });

  it("once the API has accepted the new access token, a thief who sends the replaced token ends the session", async () => {
    const first = await app.signIn();
    const second = await app.refresh(textOf(first, "refresh_token"));
    expect(await app.callApi(textOf(second, "access_token"))).toBe(404);
    await rejected(textOf(first, "refresh_token"));
    expect((await app.refresh(textOf(second, "refresh_token"))).json).toEqual(invalidGrant);
    expect(await acceptedAfterRevocation(textOf(second, "access_token"))).toBe(false);
  });

  it("with a proof of its key, a client that has used the new access token still gets the same answer", async () => {
    const key = newKey();
    const first = await app.signIn(key);
    const second = await app.refresh(textOf(first, "refresh_token"), {}, key);
    expect(await app.callApi(textOf(second, "access_token"))).toBe(404);
    await setTimeout(1000);
    const repeated = await app.refresh(textOf(first, "refresh_token"), {}, key);
    expect(repeated.json).toEqual({ ...second.json, expires_in: expect.any(Number) });
    expect((await app.refresh(textOf(first, "refresh_token"))).json).toEqual(invalidGrant);
    expect((await app.refresh(textOf(second, "refresh_token"), {}, key)).json).toEqual(invalidGrant);
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
    const answer = await app.signIn();
    for (const name of ["refresh_token", "access_token"]) {
      const refused = await revoke(textOf(answer, name), { client_id: "other" });
      expect(refused).toMatchObject({ status: 400, json: { error: "unauthorized_client" } });
    }
    expect((await app.refresh(textOf(answer, "refresh_token"))).status).toBe(200);
  });
});
