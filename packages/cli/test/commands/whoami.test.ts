import { describe, expect, it } from "vitest";
import { listen, platform, signedIn } from "../testing/run-program.js";

const claims = { sub: "p-1", tenant_id: "t-1", client_id: "platform-cli", scope: "vault.items:read", exp: 0 };
const tokenOf = (payload: object) => `x.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.y`;
const accessToken = tokenOf(claims);

/** An authorization server that answers a renewal. */
async function startServer(status: number, answer: object, displayName = ""): Promise<string> {
  const { url } = await listen(({ url: path }, response) => {
    const metadata = { issuer: url, token_endpoint: `${url}/token` };
    const body = path === "/token" ? answer : path?.endsWith("/GetPerson") ? { displayName } : metadata;
    response
      .writeHead(path === "/token" ? status : 200, { "Content-Type": "application/json" })
      .end(JSON.stringify(body));
  });
  return url;
}

async function whoami(issuer: string, words: readonly string[], session = {}) {
  const environment = { PLATFORM_CONFIG_DIR: await signedIn(issuer, { accessToken, ...session }) };
  return { ...(await platform(["whoami", ...words], environment)), environment };
}

describe("whoami", () => {
  it("shows a session that the server accepts, with the scopes that it grants now", async () => {
    const scope = "vault.items:delete vault.items:read";
    const renewed = { access_token: tokenOf({ ...claims, scope }), token_type: "Bearer", expires_in: 900, scope };
    const url = await startServer(200, { ...renewed, refresh_token: "refresh-2" });
    const { code, out, err } = await whoami(url, []);
    expect([code, err]).toEqual([0, ""]);
    expect(out.split("\n")).toEqual([
      "principal  p-1",
      "tenant     t-1",
      `api        ${url}`,
      `accounts   ${url}`,
      "scopes     vault.items:delete, vault.items:read",
      "session    accepted by the server",
      "vaults     locked",
      "",
    ]);
  });

  it("shows the name of the person, escaped, if the server says it", async () => {
    const renewed = { access_token: accessToken, token_type: "Bearer", expires_in: 900, refresh_token: "refresh-2" };
    const url = await startServer(200, renewed, "Ada\u001b[2J");
    expect((await whoami(url, [])).out).toContain("name       Ada\\u001b[2J\nprincipal  p-1\n");
    expect(JSON.parse((await whoami(url, ["--json"])).out)).toMatchObject({ displayName: "Ada\\u001b[2J" });
  });

  it("shows the controls and marks of direction of a token escaped, each claim on its line", async () => {
    const sub = "p-1\nsession    accepted\u001b[2J\u202e";
    const folder = await signedIn("http://127.0.0.1:2", { accessToken: tokenOf({ ...claims, sub }) });
    const { out } = await platform(["whoami"], { PLATFORM_CONFIG_DIR: folder });
    expect(out.split("\n")[0]).toBe("principal  p-1\\u000asession    accepted\\u001b[2J\\u202e");
  });

  it("ends with 3 if the session was revoked on the server, although its access token has not expired", async () => {
    const url = await startServer(400, { error: "invalid_grant" });
    const { code, out, err, environment } = await whoami(url, []);
    expect([code, out]).toEqual([3, ""]);
    expect(err).toContain("The session has ended");
    expect(await platform(["whoami"], environment)).toMatchObject({ code: 3, err: expect.stringContaining("login") });
  });

  it.each([
    ["has not expired", {}],
    ["has expired", { expiresAt: new Date(0) }],
  ])(
    "without the server, shows a session whose access token %s, and says that it was not checked",
    async (_, session) => {
      const { code, out, err } = await whoami("http://127.0.0.1:2", [], session);
      expect(code).toBe(0);
      expect(out).toContain("principal  p-1\n");
      expect(out).toContain("session    not checked: it may have ended\n");
      expect(err).toContain("The session could not be checked. It may have ended.\nNETWORK_ERROR: ");
    },
  );

  it("--json says that it was not checked by a server that is overloaded", async () => {
    const { code, out, err } = await whoami(await startServer(503, {}), ["--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ principalId: "p-1", checked: false });
    expect(JSON.parse(err)).toMatchObject({ notice: { message: expect.stringContaining("could not be checked") } });
  });
});
