import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp } from "../testing/start-test-app.js";

let app: TestApp;
let accounts: string;
beforeAll(async () => {
  app = await startTestApp({ ACCOUNTS_TENANT: "acme" });
  accounts = app.accountsUrl ?? "";
});
afterAll(() => app.end());

/** Sends a request whose Host and Fetch Metadata headers are given, which fetch does not allow. */
function send(
  method: string,
  path: string,
  headers: { readonly Host?: string; readonly [name: string]: string | undefined },
): Promise<{ status: number; location: string | undefined; body: string }> {
  const { hostname, port } = new URL(accounts);
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path, headers, setHost: headers.Host === undefined },
      async (response) => {
        resolve({ status: response.statusCode ?? 0, location: response.headers.location, body: await text(response) });
      },
    );
    sent.on("error", reject).end();
  });
}

describe("the accounts listener", () => {
  it("has an origin with a name, because passkeys do not work with an IP address", () => {
    expect(accounts).toMatch(/^http:\/\/localhost:[0-9]+$/);
  });

  it("sets its security headers on every response, also on errors", async () => {
    const response = await fetch(`${accounts}/nowhere`);
    expect(response.status).toBe(404);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-security-policy": expect.stringContaining("default-src 'none'; script-src 'self'; style-src 'self'"),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "cross-origin-opener-policy": "same-origin",
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const policy = response.headers.get("content-security-policy");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  it("answers only for the host of its origin", async () => {
    const { port } = new URL(accounts);
    expect(await send("GET", "/", { Host: "evil.example" })).toMatchObject({ status: 421 });
    const page = { Host: `127.0.0.1:${port}`, "Sec-Fetch-Dest": "document" };
    expect(await send("GET", "/device?user_code=A", page)).toMatchObject({
      status: 302,
      location: `${accounts}/device?user_code=A`,
    });
  });

  it.each([
    [{}, 403],
    [{ Origin: "https://evil.example" }, 403],
    [{ Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" }, 403],
    [{ Origin: "null" }, 403],
    [{ Origin: "own", "Sec-Fetch-Site": "same-site" }, 403],
    [{ Origin: "null", "Sec-Fetch-Site": "cross-site" }, 403],
    [{ Origin: "https://evil.example", "Sec-Fetch-Site": "same-origin" }, 403],
    [{ "Sec-Fetch-Site": "same-origin" }, 403],
    [{ Origin: "null", "Sec-Fetch-Site": "same-origin" }, 404],
    [{ Origin: "own", "Sec-Fetch-Site": "same-origin" }, 404],
    [{ Origin: "own" }, 404],
  ])("answers a POST with %o with %d: a page of another origin cannot act for a person", async (headers, status) => {
    const own = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value === "own" ? accounts : value]),
    );
    expect(await send("POST", "/nowhere", own)).toMatchObject({ status });
  });

  it("rejects a body whose size is too large or unknown, and needs no body for any method", async () => {
    const large = new Uint8Array(257 * 1024);
    const chunked = {
      method: "POST",
      body: new Blob([large]).stream(),
      duplex: "half",
      headers: { Origin: accounts },
    } as const;
    expect((await fetch(`${accounts}/nowhere`, { method: "POST", body: large })).status).toBe(413);
    expect((await fetch(`${accounts}/nowhere`, chunked)).status).toBe(411);
    expect((await fetch(`${accounts}/nowhere`, { method: "DELETE", headers: { Origin: accounts } })).status).toBe(404);
  });

  it("is not the API listener: neither answers for the other", async () => {
    expect((await fetch(`${accounts}/platform.v1.VaultService/DeleteItem`)).status).toBe(404);
    expect((await fetch(`${app.publicUrl}/device`)).status).toBe(404);
  });

  it.each(["/console/security", "/account/api/access", "/account/api/activity"])(
    "%s is unknown to the other listeners, and needs a session, not a token",
    async (path) => {
      const headers = { Authorization: `Bearer ${app.adminToken}` };
      for (const url of [app.publicUrl, app.internalUrl])
        expect((await fetch(url + path, { headers })).status).toBe(404);
      const answer = await fetch(accounts + path, { headers, redirect: "manual" });
      expect([303, 401]).toContain(answer.status);
    },
  );

  it.each([
    ["/assets/style.css", "text/css; charset=utf-8"],
    ["/assets/icon.svg", "image/svg+xml"],
  ])("serves %s as %s, to be revalidated", async (path, type) => {
    const first = await fetch(accounts + path);
    expect([first.status, first.headers.get("content-type")]).toEqual([200, type]);
    const again = await fetch(accounts + path, { headers: { "If-None-Match": first.headers.get("etag") ?? "" } });
    expect(again.status).toBe(304);
    expect((await fetch(`${accounts}/assets/../package.json`)).status).toBe(404);
    expect((await fetch(`${accounts}/assets/..%2fmain.js`)).status).toBe(404);
  });

  it("shows errors as pages in a browser, and as text to others", async () => {
    const page = await fetch(`${accounts}/nowhere`, { headers: { Accept: "text/html,*/*;q=0.8" } });
    expect([page.headers.get("content-type"), page.headers.get("cache-control")]).toEqual([
      "text/html; charset=UTF-8",
      "no-store",
    ]);
    const other = await fetch(`${accounts}/nowhere`);
    expect(await other.text()).toBe("Not found. Check the address.\n");
  });

  it("does not exist without a tenant whose people could sign in", async () => {
    const without = await startTestApp();
    expect(without.accountsUrl).toBeUndefined();
    await without.end();
  });
});
