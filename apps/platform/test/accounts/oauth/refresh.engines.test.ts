import { post, textOf } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { afterAll, describe, expect, it, vi } from "vitest";
import { call } from "../../../src/testing/call.js";
import { clientId, deletion, startOAuthApp, tenantId } from "./testing/oauth-app.js";

const app = await startOAuthApp({ RATE_LIMITS: "off" });
afterAll(() => app.end());

const invalidGrant = { error: "invalid_grant", error_description: expect.any(String) };

const patience = { timeout: 60_000, interval: 50 };

/** Waits until a replaced refresh token is rejected: at most a second after an access token of its successor was used. */
async function rejected(refreshToken: string): Promise<void> {
  await vi.waitFor(async () => expect((await app.refresh(refreshToken)).json).toEqual(invalidGrant), patience);
}

/** Waits until the API rejects access tokens: at most a second after they were revoked. */
async function rejectedByApi(...accessTokens: readonly string[]): Promise<void> {
  for (const token of accessTokens) await vi.waitFor(async () => expect(await app.callApi(token)).toBe(401), patience);
}

describe.concurrent("DECISIONS section 9: a lost answer is not a theft", () => {
  it("once the API has accepted the new access token, a thief who sends the replaced token ends the session", async () => {
    const first = await app.signIn();
    const second = await app.refresh(textOf(first, "refresh_token"));
    expect(await app.callApi(textOf(second, "access_token"))).toBe(404);
    app.passSharedTime();
    await rejected(textOf(first, "refresh_token"));
    expect((await app.refresh(textOf(second, "refresh_token"))).json).toEqual(invalidGrant);
    await rejectedByApi(textOf(second, "access_token"));
  });

  it("the member API counts as a use of the access token", async () => {
    const first = await app.signIn();
    const second = await app.refresh(textOf(first, "refresh_token"));
    // The client may not list vaults: a token that was accepted counts, whatever it allows.
    const listVaults = "platform.accounts.v1.MemberVaultService/ListVaults";
    expect((await call(app.accounts, listVaults, {}, textOf(second, "access_token"))).status).toBe(403);
    app.passSharedTime();
    await rejected(textOf(first, "refresh_token"));
  });
});

describe.concurrent("revocation (RFC 7009)", () => {
  const revoke = (token: string, form = {}) =>
    post(`${app.accounts}/oauth/revoke`, { token, client_id: clientId, ...form });

  it("a refresh token is revoked with its family: no access token of it works after a second", async () => {
    const first = await app.signIn();
    const second = await app.refresh(textOf(first, "refresh_token"));
    expect((await revoke(textOf(first, "refresh_token"))).status).toBe(200);
    expect((await app.refresh(textOf(second, "refresh_token"))).json).toEqual(invalidGrant);
    await rejectedByApi(textOf(first, "access_token"), textOf(second, "access_token"));
  });

  it("an access token is revoked alone, also one for the broker", async () => {
    const resource = "https://platform.example/broker";
    const first = await app.signIn(undefined, { resource });
    const second = await app.refresh(textOf(first, "refresh_token"));
    expect((await revoke(textOf(second, "access_token"))).status).toBe(200);
    await rejectedByApi(textOf(second, "access_token"));
    expect((await app.refresh(textOf(second, "refresh_token"))).status).toBe(200);
  });

  it("an unknown token: 200", async () => {
    const { status, json, headers } = await revoke("unknown");
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

  it("only the client of an access token can revoke it", async () => {
    const client = { tenantId, oauthClientId: "other", name: "O", allowedOperations: [deletion], enabled: true };
    await app.admin("AccessAdminService/SetOauthClient", client);
    const answer = await app.signIn();
    const refused = await revoke(textOf(answer, "access_token"), { client_id: "other" });
    expect(refused).toMatchObject({ status: 400, json: { error: "unauthorized_client" } });
  });
});
