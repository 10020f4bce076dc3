import { once } from "node:events";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { post } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { freePort } from "@platform-rpc/testbed/network";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { demoTenant } from "../../src/settings/settings.js";
import { startTestApp, type TestApp } from "../../src/testing/start-test-app.js";
import { newUnlockedCommandLine, type UnlockedCommandLine } from "../../src/testing/unlocked-command-line.js";

const program = fileURLToPath(new URL("../../../../packages/cli/dist/broker-main.js", import.meta.url));
const scopes = ["vault.items:read", "vault.items:write", "vault.items:use", "vaults:manage"];
const secret = "s3cret-of-the-upstream";
let app: TestApp;
let platform: UnlockedCommandLine;
let host: string;
beforeAll(async () => {
  app = await startTestApp({ DEMO: "on" });
  platform = await newUnlockedCommandLine(app, scopes);
  const upstream = createServer(({ headers }, response) => response.end(headers.authorization));
  await once(upstream.listen(await freePort(), "127.0.0.1"), "listening");
  const address = upstream.address();
  host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const words = ["--vault", "Work", "--kind", "api_key", "--title", "Upstream", `key=${secret}`, `host=${host}`];
  expect(await platform.commandLine.run("items", "create", ...words)).toMatchObject({ code: 0 });
  return () => upstream.close();
});
afterAll(async () => {
  await app.end();
  await platform.commandLine.remove();
});

/** Starts the process of a team, in a folder without a login. Its settings are variables of the environment, as in a manifest. */
async function startBroker() {
  const folder = join(platform.commandLine.home, `team-${await freePort()}`);
  await mkdir(folder, { mode: 0o700 });
  const [port, metricsPort] = [await freePort(), await freePort()];
  const settings = { BROKER_PORT: `${port}`, BROKER_METRICS_PORT: `${metricsPort}`, PLATFORM_CONFIG_DIR: folder };
  const broker = platform.commandLine.start([process.execPath, program, "--allow-loopback-http"], settings);
  onTestFinished(async () => {
    broker.child.kill("SIGKILL");
    await broker.ended;
  });
  await broker.printed(/(You are not signed in)/);
  const read = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${metricsPort}${path}`);
    return { status: response.status, text: await response.text() };
  };
  const give = (name: string) => copyFile(join(platform.files, name), join(folder, name));
  const send = async (token: string) => {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${port}/${host}/path`, { headers });
    return { status: response.status, reason: response.headers.get("platform-reason") };
  };
  return { ...broker, read, give, send };
}

/** Runs `platform broker token` of an agent, and approves what it asks for, as the person does. Resolves with the token. */
async function askForToken(...words: string[]): Promise<string> {
  const asking = platform.commandLine.startProgram(["broker", "token", "--url", app.publicUrl, ...words]);
  await platform.commandLine.approve(await asking.printed(/enter the code (\S+)/));
  return tokenIn(await asking.ended);
}

function tokenIn({ code, out, err }: { readonly code: number | null; readonly out: string; readonly err: string }) {
  expect(code, err).toBe(0);
  return out.trim();
}

describe("platform-broker", () => {
  it("is not ready until its person has signed in and unlocked, and ends by SIGTERM", async () => {
    const broker = await startBroker();
    expect(await broker.read("/healthz")).toMatchObject({ status: 200 });
    expect(await broker.read("/readyz")).toMatchObject({
      status: 503,
      text: expect.stringContaining("platform unlock"),
    });
    await broker.give("settings.json");
    await broker.give("session.json");
    await broker.printed(/(Broker for .* after: platform unlock\.)/);
    expect(await broker.read("/readyz")).toMatchObject({ status: 503 });
    const token = await askForToken("--max-uses", "2");
    expect(await broker.send(token)).toEqual({ status: 423, reason: "LOCKED" });
    await broker.give("unlocked.json");
    expect(await broker.read("/readyz")).toMatchObject({ status: 200 });
    expect(await broker.send(token)).toEqual({ status: 200, reason: null });
    const { text } = await broker.read("/metrics");
    expect(text).toMatch(/^platform_broker_requests_total\{reason="LOCKED"\} 1$/m);
    expect(text).toMatch(/^platform_broker_requests_total\{reason="OK"\} 1$/m);
    expect(text).toMatch(/^platform_broker_request_duration_seconds_count 2$/m);
    expect(text).toMatch(/^platform_broker_unlocked_until_timestamp_seconds [1-9]/m);
    expect(text).toMatch(/^process_cpu_seconds_total /m);
    broker.child.kill("SIGTERM");
    expect(await broker.ended).toMatchObject({ code: 0 });
  });

  it("serves several agents, each with the uses that it was approved", async () => {
    const broker = await startBroker();
    for (const name of ["settings.json", "session.json", "unlocked.json"]) await broker.give(name);
    await broker.printed(/(Broker for .* of: Work\.)/);
    const client = { tenantId: demoTenant, allowedOperations: ["platform.accounts.v1.ItemUseService/UseItem"] };
    const agents = ["build-agent", "deploy-agent"];
    const tokens: string[] = [];
    for (const oauthClientId of agents) {
      await app.admin("AccessAdminService/SetOauthClient", {
        ...client,
        oauthClientId,
        name: oauthClientId,
        enabled: true,
      });
      tokens.push(await askForToken("--client-id", oauthClientId, "--max-uses", "1"));
    }
    for (const token of tokens) expect(await broker.send(token)).toMatchObject({ status: 200 });
    for (const token of tokens)
      expect(await broker.send(token)).toEqual({ status: 403, reason: "DELEGATION_EXHAUSTED" });
  });
});

describe("platform broker token", () => {
  const file = () => join(platform.files, "agent-platform-cli.json");
  const again = () => platform.commandLine.run("broker", "token", "--url", app.publicUrl);
  /** Lets the stored token be 900 s old. Resolves with the refresh token. */
  const expire = async (): Promise<string> => {
    const stored = JSON.parse(await readFile(file(), "utf8"));
    await writeFile(file(), JSON.stringify({ ...stored, expiresAt: new Date(0).toISOString() }));
    return stored.refreshToken;
  };

  it("asks once, for the given limits, and renews the token after its 900 s while the approval lasts", async () => {
    const limits = ["--vault", platform.workId, "--host", host, "--max-uses", "7", "--for", "2d"];
    const first = await askForToken(...limits);
    const [, payload = ""] = first.split(".");
    const { aud, authorization_details: details, exp, iat } = JSON.parse(Buffer.from(payload, "base64url").toString());
    const expiresAt = expect.closeTo(Date.now() / 1000 + 2 * 86_400, -2);
    const bounds = { vaults: [platform.workId], hosts: [host], actions: ["use"], max_uses: 7, expires_at: expiresAt };
    expect([aud, details, exp - iat]).toEqual(["https://platform.example/broker", [{ type: "vault", ...bounds }], 900]);
    expect(tokenIn(await again())).toBe(first);
    await expire();
    const second = tokenIn(await again());
    expect(second).not.toBe(first);
    expect(tokenIn(await again())).toBe(second);
  });

  it("asks again when the approval has ended", async () => {
    const token = await expire();
    await post(`${app.accountsUrl}/oauth/revoke`, { client_id: "platform-cli", token });
    expect(await askForToken("--json")).toContain('{"accessToken":"ey');
  });
});
