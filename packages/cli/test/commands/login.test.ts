import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listen, platform, signedIn, temporaryFolder } from "../testing/run-program.js";

/** A request for a code or for tokens. */
interface OAuthRequest {
  readonly path: string;
  readonly scope: string | null;
  readonly resource: string | null;
}

/** An API and its authorization server, where a person approves at once. */
async function startPlatform() {
  const state = {
    revoked: [] as (string | null)[],
    onRevoke: async () => {},
    onToken: async () => {},
    /** Requests for a code or for tokens. */
    asked: [] as OAuthRequest[],
    /** Replaces members of the metadata of the API. */
    metadata: {},
    /** Replaces members of the response to a started authorization. */
    started: {},
    /** Replaces members of the metadata of the authorization server. */
    server: {},
    /** What the person answers in the browser: an error, or nothing to approve. */
    denial: undefined as string | undefined,
    /** The status and the body of the response to a pushed request. */
    pushed: [201, { request_uri: "urn:request-1", expires_in: 60 }] as readonly [number, object],
  };
  let pushed = new URLSearchParams();
  const { url } = await listen(async (request, response: ServerResponse) => {
    const json = (body: object, status = 200) =>
      void response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    const { pathname: path, searchParams } = new URL(request.url ?? "", url);
    const form = new URLSearchParams(await text(request));
    if (["/device", "/token", "/par"].includes(path)) {
      state.asked.push({ path, scope: form.get("scope"), resource: form.get("resource") });
    }
    switch (path) {
      case "/.well-known/oauth-protected-resource":
        return json({ resource: url, authorization_servers: [url], ...state.metadata });
      case "/.well-known/oauth-authorization-server":
        return json({
          issuer: url,
          token_endpoint: `${url}/token`,
          device_authorization_endpoint: `${url}/device`,
          revocation_endpoint: `${url}/revoke`,
          ...state.server,
        });
      case "/par":
        pushed = form;
        return json(state.pushed[1], state.pushed[0]);
      case "/authorize": {
        if (searchParams.get("request_uri") !== "urn:request-1") return void response.writeHead(400).end();
        const target = new URL(pushed.get("redirect_uri") ?? "");
        const answer = state.denial === undefined ? { code: "code-1" } : { error: state.denial };
        for (const [name, value] of Object.entries({ ...answer, state: pushed.get("state") ?? "", iss: url }))
          target.searchParams.set(name, value);
        return void response.writeHead(303, { Location: target.href }).end();
      }
      case "/device":
        return json({
          device_code: "device-code-1",
          user_code: "WDJB-MJHT",
          verification_uri: `${url}/device`,
          expires_in: 600,
          interval: 5,
          ...state.started,
        });
      case "/token":
        await state.onToken();
        return json({
          access_token: "access-2",
          token_type: "Bearer",
          expires_in: 900,
          refresh_token: "refresh-2",
          scope: "vault.items:read",
        });
      case "/revoke":
        state.revoked.push(form.get("token"));
        await state.onRevoke();
        return void response.writeHead(200).end();
      default:
        return void response.writeHead(404).end();
    }
  });
  /** Offers the code flow, too. */
  const offerCodes = () => {
    state.server = {
      authorization_endpoint: `${url}/authorize`,
      pushed_authorization_request_endpoint: `${url}/par`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    };
  };
  return { url, state, offerCodes };
}

/** Runs a login. The wait for its first poll takes no time. */
function logIn(url: string, folder: string, ...words: string[]) {
  return logInWith({}, url, folder, ...words);
}

async function logInWith(variables: Record<string, string>, url: string, folder: string, ...words: string[]) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const written = { out: "", err: "" };
  const write = (to: "out" | "err") => (text: string) => {
    written[to] += text;
    if (text.includes("WDJB-MJHT")) setImmediate(() => vi.advanceTimersByTime(5_250));
  };
  const environment = { PLATFORM_CONFIG_DIR: folder, ...variables };
  const parts = { out: write("out"), err: write("err") };
  const { code } = await platform(["login", "--url", url, "--no-qr", ...words], environment, parts);
  return { code, ...written };
}

async function storedToken(folder: string): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, "session.json"), "utf8")).refreshToken;
}

describe("a login with a session", () => {
  it("RFC 7009: revokes the session that it replaces, where that was issued, after the new one is stored", async () => {
    const [before, { url, state }] = [await startPlatform(), await startPlatform()];
    const folder = await signedIn(before.url);
    const storedThen: unknown[] = [];
    before.state.onRevoke = async () => void storedThen.push(await storedToken(folder));
    expect((await logIn(url, folder)).code).toBe(0);
    expect([before.state.revoked, state.revoked]).toEqual([["refresh-1"], []]);
    expect(storedThen).toEqual(["refresh-2"]);
  });

  it("succeeds if that session cannot be ended, and says so", async () => {
    const { url } = await startPlatform();
    const folder = await signedIn("http://127.0.0.1:2");
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
  state.onToken = async () => void (await mkdir(join(folder, "session.json")));
  const { code, out, err } = await logIn(url, folder);
  expect([code, out, state.revoked]).toEqual([1, "", ["refresh-2"]]);
  expect(err).toContain(`The session cannot be saved in ${join(folder, "session.json")}: E`);
  expect(err).not.toContain("refresh-2");
});

it("a login replaces a damaged session file, and revokes nothing", async () => {
  const { url, state } = await startPlatform();
  const folder = await signedIn(url);
  await writeFile(join(folder, "session.json"), "{");
  expect((await logIn(url, folder)).code).toBe(0);
  expect([await storedToken(folder), state.revoked]).toEqual(["refresh-2", []]);
});

describe("a login at a hostile API or authorization server", () => {
  it("RFC 9728 section 3.3: ends with both URLs, before a code, if the API publishes the metadata of another one", async () => {
    const [victim, hostile] = [await startPlatform(), await startPlatform()];
    hostile.state.metadata = { resource: victim.url, authorization_servers: [victim.url] };
    const folder = await temporaryFolder();
    const { code, out, err } = await logIn(hostile.url, folder);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(`describes another API: ${victim.url}. You gave ${hostile.url}.`);
    expect(err).not.toContain("WDJB-MJHT");
    expect([...victim.state.asked, ...hostile.state.asked]).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ["the metadata names no resource", { resource: undefined }, "describes another API: (none)."],
    ["the resource contains controls", { resource: "\u001b[2J\u202e" }, "describes another API: \\u001b[2J\\u202e."],
    [
      "the authorization server has plain http on another machine",
      { authorization_servers: ["http://accounts.example"] },
      "names the authorization server http://accounts.example. It must be an https URL",
    ],
  ])("ends before a code if %s", async (_, metadata, message) => {
    const { url, state } = await startPlatform();
    state.metadata = metadata;
    const { code, err } = await logIn(url, await temporaryFolder());
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
    expect(state.asked).toEqual([]);
  });

  it("RFC 8628: shows no page without https on another machine, and no code for it", async () => {
    const { url, state } = await startPlatform();
    state.started = { verification_uri: "http://accounts.example/device" };
    const { code, out, err } = await logIn(url, await temporaryFolder());
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("sent a page for the approval that is not an https URL. Do not open it.");
    expect(err).not.toContain("WDJB-MJHT");
  });

  it.each([[], ["--json"]])(
    "prints its control characters and marks of direction escaped, with %j",
    async (...words) => {
      const { url, state } = await startPlatform();
      state.started = { user_code: "WDJB-MJHT\u001b[2J\u009b\n\u202e\u2066\u061c" };
      const { code, out, err } = await logIn(url, await temporaryFolder(), ...words);
      expect(code).toBe(0);
      const shown = words.length === 0 ? err : String(JSON.parse(out.split("\n")[0] ?? "").userCode);
      expect(shown).toContain("WDJB-MJHT\\u001b[2J\\u009b\\u000a\\u202e\\u2066\\u061c");
      expect(out + err).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_C}]/u);
    },
  );
});

describe("the scopes of a login", () => {
  it.each([
    [[], "vault.items:read"],
    [["--scope", "vault.items:delete"], "vault.items:delete"],
    [["--scope", "vault.items:read", "vault.items:restore"], "vault.items:read vault.items:restore"],
  ])("with %j are %j: those that the next command needs", async (words, scope) => {
    const { url, state } = await startPlatform();
    expect((await logIn(url, await temporaryFolder(), ...words)).code).toBe(0);
    expect(state.asked[0]?.scope).toBe(scope);
  });

  it("are shown when it has succeeded", async () => {
    const { url } = await startPlatform();
    expect((await logIn(url, await temporaryFolder())).out).toContain(`signed in to ${url}, with vault.items:read.`);
  });
});

it("a login refuses a session file that other users can use, before it asks the person", async () => {
  const { url, state } = await startPlatform();
  const folder = await signedIn(url);
  const path = join(folder, "session.json");
  await chmod(path, 0o644);
  const { code, out, err } = await platform(["login"], { PLATFORM_CONFIG_DIR: folder });
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain(`${path} can be used by other users (mode 0644)`);
  expect(state.asked).toEqual([]);
});

/** Creates a browser: a program that follows redirects, and writes down its arguments. */
async function browser() {
  const folder = await temporaryFolder();
  const [path, opened] = [join(folder, "browser"), join(folder, "opened.json")];
  const script = `#!${process.execPath}
require("node:fs").writeFileSync(${JSON.stringify(opened)}, JSON.stringify(process.argv.slice(2)));
fetch(process.argv[2]);
`;
  await writeFile(path, script, { mode: 0o700 });
  return {
    path,
    /** The arguments of its last start; undefined before the first. */
    opened: () => readFile(opened, "utf8").then<string[], undefined>(JSON.parse, () => undefined),
  };
}

describe("a login in the browser of this machine", () => {
  it("RFC 8252: opens the page, and needs no code", async () => {
    const { url, state, offerCodes } = await startPlatform();
    offerCodes();
    const { path, opened } = await browser();
    const folder = await temporaryFolder();
    const { code, out, err } = await logInWith({ BROWSER: path }, url, folder);
    expect([code, err]).toEqual([0, expect.stringContaining(`${url}/authorize?`)]);
    expect(out).toContain(`You are signed in to ${url}`);
    expect(err).toContain(`Approve only if the page names ${new URL(url).host}.`);
    expect(err).toContain("platform login --device");
    expect(err).not.toContain("WDJB-MJHT");
    expect(state.asked).toEqual([
      { path: "/par", scope: "vault.items:read offline_access", resource: url },
      { path: "/token", scope: null, resource: url },
    ]);
    expect(await storedToken(folder)).toBe("refresh-2");
    expect(await opened()).toEqual([
      expect.stringMatching(/\/authorize\?client_id=platform-cli&request_uri=urn[^&]*$/),
    ]);
  });

  it("ends when the person denies access", async () => {
    const { url, state, offerCodes } = await startPlatform();
    offerCodes();
    state.denial = "access_denied";
    const folder = await temporaryFolder();
    const { code, err } = await logInWith({ BROWSER: (await browser()).path }, url, folder);
    expect([code, err]).toEqual([1, expect.stringContaining("You denied access in the browser.")]);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ["with --device", {}, ["--device"]],
    ["over SSH", { SSH_TTY: "/dev/pts/0" }, []],
  ])("is replaced by a code %s", async (_, variables, words) => {
    const { url, offerCodes } = await startPlatform();
    offerCodes();
    const { path, opened } = await browser();
    const login = await logInWith({ BROWSER: path, ...variables }, url, await temporaryFolder(), ...words);
    expect([login.code, login.err]).toEqual([0, expect.stringContaining("WDJB-MJHT")]);
    expect(await opened()).toBeUndefined();
  });

  it.each([
    ["the server offers no other flow", false],
    ["this program is not registered for it", true],
  ])("is replaced by a code if %s", async (_, offered) => {
    const { url, state, offerCodes } = await startPlatform();
    if (offered) offerCodes();
    state.pushed = [400, { error: "invalid_request" }];
    const { path, opened } = await browser();
    const { code, err } = await logInWith({ BROWSER: path }, url, await temporaryFolder());
    expect([code, err]).toEqual([0, expect.stringContaining("WDJB-MJHT")]);
    expect(await opened()).toBeUndefined();
  });
});
