import { mkdir, readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listen, platform, signedIn, temporaryFolder } from "../testing/run-program.js";

/** An API and its authorization server, where a person approves at once. */
async function startPlatform() {
  const state = { revoked: [] as (string | null)[], revocationStatus: 200, onRevoke: async () => {} };
  const answer = (path: string | undefined, response: ServerResponse) => {
    const json = (body: object) =>
      void response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    switch (path) {
      case "/.well-known/oauth-protected-resource":
        return json({ authorization_servers: [url] });
      case "/.well-known/oauth-authorization-server":
        return json({
          issuer: url,
          token_endpoint: `${url}/token`,
          device_authorization_endpoint: `${url}/device`,
          revocation_endpoint: `${url}/revoke`,
        });
      case "/device":
        return json({
          device_code: "device-code-1",
          user_code: "WDJB-MJHT\u001b[2J\u009b",
          verification_uri: `${url}/device`,
          expires_in: 600,
          interval: 5,
        });
      case "/token":
        return json({
          access_token: "access-2",
          token_type: "Bearer",
          expires_in: 900,
          refresh_token: "refresh-2",
          scope: "vault.items:read",
        });
      default:
        return void response.writeHead(404).end();
    }
  };
  const { url } = await listen(async (request, response) => {
    if (request.url !== "/revoke") return answer(request.url, response);
    state.revoked.push(new URLSearchParams(await text(request)).get("token"));
    await state.onRevoke();
    response.writeHead(state.revocationStatus).end();
  });
  return { url, state };
}

/** Runs a login. The wait for its first poll takes no time. */
async function logIn(url: string, folder: string, ...words: string[]) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const written = { out: "", err: "" };
  const write = (to: "out" | "err") => (text: string) => {
    written[to] += text;
    if (text.includes("WDJB-MJHT")) setImmediate(() => vi.advanceTimersByTime(5_250));
  };
  const environment = { PLATFORM_CONFIG_DIR: folder };
  const parts = { out: write("out"), err: write("err") };
  const { code } = await platform(["login", "--url", url, "--no-qr", ...words], environment, parts);
  return { code, ...written };
}

async function storedToken(folder: string): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, "session.json"), "utf8")).refreshToken;
}

describe("a login with a session", () => {
  it("RFC 7009: revokes the session that it replaces, after the new one is stored", async () => {
    const { url, state } = await startPlatform();
    const folder = await signedIn(url);
    const storedThen: unknown[] = [];
    state.onRevoke = async () => void storedThen.push(await storedToken(folder));
    expect((await logIn(url, folder)).code).toBe(0);
    expect(state.revoked).toEqual(["refresh-1"]);
    expect(storedThen).toEqual(["refresh-2"]);
  });

  it("revokes it where it was issued, also if the new one is at another platform", async () => {
    const [before, { url, state }] = [await startPlatform(), await startPlatform()];
    const folder = await signedIn(before.url);
    expect((await logIn(url, folder)).code).toBe(0);
    expect([before.state.revoked, state.revoked]).toEqual([["refresh-1"], []]);
  });

  it.each([
    ["that cannot be reached", async () => "http://127.0.0.1:2"],
    ["without https", async () => "http://accounts.example"],
    [
      "that fails",
      async () => {
        const { url, state } = await startPlatform();
        state.revocationStatus = 503;
        return url;
      },
    ],
  ])("succeeds if that session is at a server %s, and says so", async (_, start) => {
    const { url } = await startPlatform();
    const folder = await signedIn(await start());
    const { code, out, err } = await logIn(url, folder, "--json");
    expect(code).toBe(0);
    expect(await storedToken(folder)).toBe("refresh-2");
    expect(JSON.parse(out.trim().split("\n").at(-1) ?? "")).toMatchObject({ accountsUrl: url });
    expect(JSON.parse(err).notice.message).toContain("Your previous session has not ended on the server.");
    expect(err + out).not.toContain("refresh-");
  });
});

it("a login ends before the person is asked if its folder cannot be created", async () => {
  const { url } = await startPlatform();
  const { code, out, err } = await logIn(url, "/proc/platform");
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain("The folder /proc/platform cannot be used");
  expect(err).not.toContain("WDJB-MJHT");
});

it("RFC 7009: a login revokes its session if it cannot be stored", async () => {
  const { url, state } = await startPlatform();
  const folder = await temporaryFolder();
  await mkdir(join(folder, "session.json"));
  const { code, out, err } = await logIn(url, folder);
  expect([code, out, state.revoked]).toEqual([1, "", ["refresh-2"]]);
  expect(err).toContain(`The session cannot be saved in ${join(folder, "session.json")}: E`);
  expect(err).not.toContain("refresh-2");
});

it("a login without a session revokes nothing, and prints no control characters of the server", async () => {
  const { url, state } = await startPlatform();
  const { code, err } = await logIn(url, await temporaryFolder());
  expect([code, state.revoked]).toEqual([0, []]);
  expect(err).toContain("and enter the code WDJB-MJHT\ufffd[2J\ufffd\n");
});
