import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import { startTestApp } from "../../src/testing/start-test-app.js";

const app = await startTestApp({ ACCOUNTS_TENANT: "acme", ACCOUNTS_ADDRESS_HEADER: "X-Real-IP" });
/** The origin of the pages. */
const pages = app.pagesUrl ?? "";
afterAll(() => app.end());

/** Sends a request whose Host and Fetch Metadata headers are given, which fetch does not allow. */
function send(
  method: string,
  path: string,
  headers: { readonly Host?: string; readonly [name: string]: string | undefined },
): Promise<{ status: number; location: string | undefined; body: string }> {
  const { hostname, port } = new URL(app.accountsUrl ?? "");
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path, headers: { Host: new URL(pages).host, ...headers } },
      async (response) => {
        resolve({ status: response.statusCode ?? 0, location: response.headers.location, body: await text(response) });
      },
    );
    sent.on("error", reject).end();
  });
}

describe("the accounts listener", () => {
  it("has pages at a name that nothing else on this machine has, and what programs call at an address", () => {
    expect(pages).toMatch(/^http:\/\/accounts\.localhost:[0-9]+$/);
    expect(app.accountsUrl).toBe(pages.replace("accounts.localhost", "127.0.0.1"));
  });

  it("sets its security headers on every response, also on errors", async () => {
    const response = await fetch(`${pages}/nowhere`);
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

  it("leads a page of another name of this machine to its origin", async () => {
    const { port } = new URL(pages);
    for (const name of ["127.0.0.1", "localhost"]) {
      const page = { Host: `${name}:${port}`, "Sec-Fetch-Dest": "document" };
      const location = `${pages}/device?user_code=A`;
      expect(await send("GET", "/device?user_code=A", page)).toMatchObject({ status: 302, location });
    }
  });

  it.each([
    [{}, 403],
    [{ Origin: "https://evil.example" }, 403],
    [{ Origin: "null" }, 403],
    [{ Origin: "own", "Sec-Fetch-Site": "same-site" }, 403],
    [{ Origin: "null", "Sec-Fetch-Site": "cross-site" }, 403],
    [{ Origin: "https://evil.example", "Sec-Fetch-Site": "same-origin" }, 403],
    [{ Origin: "null", "Sec-Fetch-Site": "same-origin" }, 404],
    [{ Origin: "own", "Sec-Fetch-Site": "same-origin" }, 404],
    [{ Origin: "own" }, 404],
  ])("answers a POST with %o with %d: a page of another origin cannot act for a person", async (headers, status) => {
    const own = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value === "own" ? pages : value]),
    );
    expect(await send("POST", "/nowhere", own)).toMatchObject({ status });
  });

  it("its pages are unknown to the other listeners, and need a session, not a token", async () => {
    const path = "/account/api/access";
    const headers = { Authorization: `Bearer ${app.adminToken}` };
    for (const url of [app.publicUrl, app.internalUrl]) expect((await fetch(url + path, { headers })).status).toBe(404);
    expect((await fetch(pages + path, { headers })).status).toBe(401);
  });

  it("has a rate for the network that ACCOUNTS_ADDRESS_HEADER names, and for another one another", async () => {
    const revoke = (address: string) => send("POST", "/oauth/revoke", { "X-Real-IP": address });
    // Two more are allowed for each second that the requests take.
    const answers = await Promise.all(Array.from({ length: 150 }, () => revoke("192.0.2.1")));
    expect(answers.some(({ status }) => status === 429)).toBe(true);
    expect((await revoke("198.51.100.1")).status).toBe(400);
  });

  it("does not exist without a tenant whose people could sign in", async () => {
    const without = await startTestApp();
    expect(without.accountsUrl).toBeUndefined();
    await without.end();
  });
});
