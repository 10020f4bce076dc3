import { createHash } from "node:crypto";
import { decodeJwt } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { generateMemberKeys } from "../../src/keys/member-keys.js";
import { serializeUserKeys } from "../../src/keys/user-keys.js";
import { createAccountsSite } from "../../src/testing/accounts-site.js";
import { signUpPerson } from "../../src/testing/person.js";

const site = await createAccountsSite();
afterAll(() => site.close());
const { browser, accountId } = await signUpPerson(site);

const post = { json: {} };
const serializedKeys = serializeUserKeys({ encryptionKey: {}, titleKey: { kty: "oct", k: "AAAA" } });

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

describe("what the vault needs without a network", () => {
  it("is wrapped keys that only the person can open, for a signed-in browser", async () => {
    const { status, body } = await browser.send("/account/api/wrapped-keys");
    // The test person has no member keys: a browser makes them when it is unlocked.
    expect({ status, body }).toMatchObject({ status: 404, body: { reason: "NO_SIGNING_KEY" } });
    const json = { memberKeys: await generateMemberKeys({ accountId, userKeys: serializedKeys }) };
    await browser.send("/account/api/member-keys", { json });
    const wrappedKeys = expect.objectContaining({ version: 1 });
    expect((await browser.send("/account/api/wrapped-keys")).body).toEqual({
      passkeys: [{ id: expect.any(String), wrappedKeys }],
      recovery: wrappedKeys,
      memberKeys: json.memberKeys,
      certificates: { certificates: [], removed: [] },
    });
    expect((await site.openBrowser().send("/account/api/wrapped-keys")).status).toBe(401);
  });

  it("is a worker that names every file of one build with its hash, and a page that says it is kept", async () => {
    const stranger = site.openBrowser();
    const worker = await stranger.send("/console/assets/offline-worker.js");
    expect(Object.fromEntries(worker.headers)).toMatchObject({
      "service-worker-allowed": "/console",
      "cache-control": "no-cache",
      "content-security-policy": expect.stringContaining("worker-src 'self'"),
    });
    const [, json = ""] = /^const shell = (\{.*\});\n/.exec(String(worker.body)) ?? [];
    const { files, page } = JSON.parse(json);
    for (const [path, integrity] of Object.entries(files)) {
      const { body } = await stranger.send(path);
      expect([path, `sha256-${createHash("sha256").update(String(body)).digest("base64")}`]).toEqual([path, integrity]);
    }
    const session = Object.keys(files).find((path) => path.startsWith("/assets/session.js?")) ?? "";
    const cacheControl = async (path: string) => (await stranger.send(path)).headers.get("Cache-Control");
    expect(await cacheControl(session)).toBe("public, max-age=31536000, immutable");
    expect(await cacheControl("/assets/session.js?another")).toBe("no-cache");
    expect(String((await browser.send("/console")).body)).toContain(`src="${session}"`);
    const kept = String((await stranger.send(page)).body);
    expect(kept).toContain("<html data-kept");
    const named = Array.from(kept.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|svg)[^"]*)"/g), ([, path]) => path);
    expect(named.filter((path) => !Object.hasOwn(files, path ?? ""))).toEqual([]);
    expect((await stranger.send("/device")).headers.get("Content-Security-Policy")).toContain("worker-src 'none'");
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
