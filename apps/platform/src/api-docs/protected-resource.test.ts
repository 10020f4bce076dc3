import { afterAll, describe, expect, it } from "vitest";
import { publicScopes } from "../../test/accounts/oauth/testing/oauth-app.js";
import { call } from "../testing/call.js";
import { startTestApp } from "../testing/start-test-app.js";

const app = await startTestApp({ ACCOUNTS_TENANT: "acme", PUBLIC_URL: "https://api.example/base" });
afterAll(() => app.end());

describe("RFC 9728: /.well-known/oauth-protected-resource", () => {
  it.each(["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/base"])(
    "%s names the accounts origin as the authorization server of the API",
    async (path) => {
      const response = await fetch(new URL(path, app.publicUrl));
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        resource: "https://api.example/base",
        authorization_servers: [app.accountsUrl],
        scopes_supported: publicScopes,
        authorization_details_types_supported: ["vault"],
        bearer_methods_supported: ["header"],
        resource_documentation: "https://api.example/base/docs",
      });
    },
  );

  it.each([
    ["publicUrl", "/.well-known/oauth-protected-resource/base"],
    ["accountsUrl", "/.well-known/oauth-authorization-server"],
    ["accountsUrl", "/oauth/token"],
    ["accountsUrl", "/sign-in"],
    ["mcpUrl", "/.well-known/oauth-protected-resource/mcp"],
    ["mcpUrl", "/mcp"],
  ] as const)("at %s, %s is served with a slash more", async (listener, path) => {
    const origin = app[listener] ?? "";
    const [one, more] = await Promise.all([path, `${path}/`].map((each) => fetch(new URL(each, origin))));
    expect(one?.status).not.toBe(404);
    expect([more?.status, more?.redirected]).toEqual([one?.status, false]);
  });

  it.each(["/.well-known/oauth-protected-resource", "/.well-known/jwks.json"])(
    "pages of any origin read %s, with any header",
    async (path) => {
      const url = new URL(path, app.publicUrl);
      const headers = { Origin: "https://app.example", "MCP-Protocol-Version": "2025-11-25" };
      const asked = { Origin: headers.Origin, "Access-Control-Request-Method": "GET" };
      const preflight = await fetch(url, { method: "OPTIONS", headers: asked });
      const answer = await fetch(url, { headers });
      expect([preflight.status, answer.status]).toEqual([204, 200]);
      expect(preflight.headers.get("access-control-allow-headers")).toBe("*");
      for (const each of [preflight, answer]) expect(each.headers.get("access-control-allow-origin")).toBe("*");
    },
  );

  it("a rejected token gets its URL, in which the well-known path precedes that of the API", async () => {
    const { status, headers } = await call(app.publicUrl, "platform.v1.VaultService/DeleteItem", {});
    expect([status, headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer resource_metadata="https://api.example/.well-known/oauth-protected-resource/base"',
    ]);
  });

  it("without an authorization server, serves no metadata, and sends a challenge without its URL", async () => {
    const other = await startTestApp();
    expect((await fetch(`${other.publicUrl}/.well-known/oauth-protected-resource`)).status).toBe(404);
    const { headers } = await call(other.publicUrl, "platform.v1.VaultService/DeleteItem", {});
    expect(headers.get("www-authenticate")).toBe("Bearer");
    await other.end();
  });

  it("a process without an accounts listener names the origin of another process", async () => {
    const other = await startTestApp({ ACCOUNTS_URL: "https://accounts.example" });
    const response = await fetch(`${other.publicUrl}/.well-known/oauth-protected-resource`);
    expect(await response.json()).toMatchObject({ authorization_servers: ["https://accounts.example"] });
    await other.end();
  });
});
