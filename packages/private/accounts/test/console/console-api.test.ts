import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccountsSite, createAccountsSite } from "../../src/testing/accounts-site.js";
import { signUpPerson } from "../../src/testing/person.js";
import type { SiteBrowser } from "../../src/testing/site-browser.js";

let site: AccountsSite;
let browser: SiteBrowser;
let accountId: string;
beforeAll(async () => {
  site = await createAccountsSite();
  ({ browser, accountId } = await signUpPerson(site));
});
afterAll(() => site.close());

const post = { json: {} };

describe("the endpoints of the console", () => {
  it("issue a short-lived token of the person, for the console's scopes, that nothing stores", async () => {
    const { status, headers, body } = await browser.send("/account/api/token", post);
    const { accessToken } = Object(body);
    const claims = decodeJwt(accessToken);
    expect({ status, cache: headers.get("Cache-Control") }).toEqual({ status: 200, cache: "no-store" });
    expect(claims).toMatchObject({
      sub: accountId,
      client_id: "platform-console",
      scope: "vault.items:delete vault.items:read vault.items:restore vault.items:write vaults:manage",
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300);
    expect(Object(body).expiresAt).toBe(new Date((claims.exp ?? 0) * 1000).toISOString());
  });
});

describe("the page of the console", () => {
  it("leads through sign-in back to itself", async () => {
    const { status, location } = await site.openBrowser().send("/console/vaults/v-1");
    expect({ status, location }).toEqual({ status: 303, location: "/sign-in?next=%2Fconsole%2Fvaults%2Fv-1" });
  });

  it.each(["/console", "/console/vaults/v-1"])("calls its own origin only, and is not stored: %s", async (path) => {
    const { status, headers } = await browser.send(path);
    expect({ status, cache: headers.get("Cache-Control") }).toEqual({ status: 200, cache: "no-store" });
    expect(headers.get("Content-Security-Policy")).toContain("connect-src 'self';");
  });

  it("has assets that browsers keep, compressed if they accept that", async () => {
    const { body } = await browser.send("/console");
    const [, path = ""] = /src="(\/console\/assets\/[^"]+)"/.exec(String(body)) ?? [];
    const plain = await site.openBrowser().send(path);
    expect(plain).toMatchObject({ status: 200, body: expect.stringContaining("export") });
    expect(plain.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    const compressed = await browser.send(path, { headers: { "Accept-Encoding": "gzip" } });
    expect(compressed.headers.get("Content-Encoding")).toBe("gzip");
    const script = await browser.send("/assets/session.js");
    expect(script.headers.get("Cache-Control")).toBe("no-cache");
    const [, chunk = ""] = /"\.\/(chunk-[^"]+\.js)"/.exec(String(script.body)) ?? [];
    const kept = await browser.send(`/assets/${chunk}`);
    expect(kept.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    expect(await browser.send("/console/assets/..%2Findex.html")).toMatchObject({ status: 404 });
  });
});
