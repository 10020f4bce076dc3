import { approveRequest } from "@platform-rpc/accounts/testing/answer-request";
import { signUpPerson } from "@platform-rpc/accounts/testing/person";
import { openSiteBrowser } from "@platform-rpc/accounts/testing/site-browser";
import { afterAll, describe, expect, it } from "vitest";
import { signIn } from "../../../examples/oauth.js";
import { signInWithBrowser } from "../../../examples/oauth-browser.js";
import { signInForFiveDeletions } from "../../../examples/oauth-limits.js";
import { clientId, deletion, startOAuthApp, tenantId } from "./testing/oauth-app.js";

const app = await startOAuthApp({ RATE_LIMITS: "off" });
afterAll(() => app.end());

const userCodeIn = (uri: string) => new URL(uri).searchParams.get("user_code") ?? "";

describe.concurrent("the examples of docs/oauth.md, with openid-client", () => {
  it("a device signs in with DPoP, renews its tokens, and signs out", async () => {
    let approved: Promise<void> = Promise.resolve();
    const session = await signIn(new URL(app.accounts), clientId, app.publicUrl, (uri) => {
      approved = app.approve(userCodeIn(uri), ["vault.items:delete"]);
    });
    await approved;
    const first = session.accessToken();
    expect(await app.callApi(first)).toBe(404);
    await session.renew();
    await session.renew();
    expect(session.accessToken()).not.toBe(first);
    expect(await app.callApi(session.accessToken())).toBe(404);
    await session.signOut();
    await expect(session.renew()).rejects.toMatchObject({ error: "invalid_grant" });
  });

  it("a device with limits gets no more than it has asked for, and less if the person allows less (RFC 9396)", async () => {
    let approved: Promise<void> = Promise.resolve();
    const { accessToken, allowed } = await signInForFiveDeletions(new URL(app.accounts), clientId, "v-1", (uri) => {
      const bounds = { vaultIds: ["v-1", "v-2"], maxDeletions: 3 };
      approved = app.approve(userCodeIn(uri), ["vault.items:delete"], bounds);
    });
    await approved;
    const limits = { type: "vault", vaults: ["v-1"], actions: ["read", "delete"], max_deletions: 3 };
    expect(allowed).toEqual([{ ...limits, expires_at: expect.any(Number) }]);
    expect(await app.callApi(accessToken)).toBe(404);
  });

  it("a program signs in with a browser by a pushed request and DPoP, renews its tokens, and signs out", async () => {
    const redirectUri = "http://127.0.0.1/callback";
    await app.admin("AccessAdminService/SetOauthClient", {
      ...{ tenantId, oauthClientId: "in-browser", name: "Agent", allowedOperations: [deletion], enabled: true },
      redirectUris: [redirectUri],
    });
    const { browser } = await signUpPerson({ openBrowser: () => openSiteBrowser(app.pages) });
    const session = await signInWithBrowser(
      { issuer: new URL(app.accounts), clientId: "in-browser", redirectUri, resource: app.publicUrl },
      async (url) => (await approveRequest(browser, url)).redirectedTo,
    );
    const first = session.accessToken();
    expect(await app.callApi(first)).toBe(404);
    await session.renew();
    expect(session.accessToken()).not.toBe(first);
    await session.signOut();
    await expect(session.renew()).rejects.toMatchObject({ error: "invalid_grant" });
  });
});
