import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { deviceGrant, post, textOf } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { freePort } from "@platform-rpc/testbed/network";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { demoUser } from "../../src/demo-data/demo-files.js";
import { demoTenant } from "../../src/settings/settings.js";
import { startTestApp, type TestApp } from "../../src/testing/start-test-app.js";
import { newUnlockedCommandLine, type UnlockedCommandLine } from "../../src/testing/unlocked-command-line.js";

/** How often a broker is killed. `BROKER_KILLS=100` for the evidence. */
const { BROKER_KILLS: kills = "20" } = process.env;

const secret = "s3cret-of-the-upstream";
const scopes = ["vault.items:read", "vault.items:write", "vault.items:use", "vaults:manage"];
const agentId = "agent";
let app: TestApp;
let platform: UnlockedCommandLine;
beforeAll(async () => {
  app = await startTestApp({ DEMO: "on", RATE_LIMITS: "off" });
  platform = await newUnlockedCommandLine(app, scopes);
  const client = {
    tenantId: demoTenant,
    oauthClientId: agentId,
    name: "Agent",
    allowedOperations: ["platform.accounts.v1.ItemUseService/UseItem"],
    enabled: true,
  };
  await app.admin("AccessAdminService/SetOauthClient", client);
});
afterAll(async () => {
  await app.end();
  await platform.commandLine.remove();
});

const state = { answer: ((_, response) => response.end("done")) as RequestListener, arrived: 0, host: "" };
beforeEach(async () => {
  state.arrived = 0;
  const server = createServer((request, response) => {
    expect(request.headers.authorization).toBe(`Bearer ${secret}`);
    state.arrived += 1;
    state.answer(request, response);
  }).listen(await freePort(), "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  state.host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const words = ["--vault", "Work", "--kind", "api_key", "--title", "Upstream", `key=${secret}`, `host=${state.host}`];
  const created = await platform.commandLine.run("items", "create", "--json", ...words);
  expect(created).toMatchObject({ code: 0 });
  const { itemId } = JSON.parse(created.out);
  onTestFinished(async () => {
    await platform.commandLine.run("items", "delete", itemId, "--vault", "Work");
  });
});

/** Approves uses of an agent, as the person does. Resolves with its broker token. */
async function approveUses(maxUses: number): Promise<string> {
  const client = { client_id: agentId };
  const scope = "vault.items:use";
  const started = await post(`${app.accountsUrl}/oauth/device_authorization`, { ...client, scope });
  const bounds = { vaultIds: [platform.workId], actions: ["use"], maxUses };
  const approval = { tenantId: demoTenant, principalId: demoUser, userCode: textOf(started, "user_code"), bounds };
  await app.admin("DeviceAuthorizationService/ApproveDeviceAuthorization", { ...approval, scopes: [scope] });
  const redeemed = { grant_type: deviceGrant, device_code: textOf(started, "device_code"), ...client };
  const resource = "https://platform.example/broker";
  return textOf(await post(`${app.accountsUrl}/oauth/token`, { ...redeemed, resource }), "access_token");
}

async function startBroker(port: number) {
  const words = ["broker", "--port", `${port}`, "--allow-loopback-http"];
  const broker = platform.commandLine.startProgram(words);
  onTestFinished(async () => {
    broker.child.kill("SIGKILL");
    await broker.ended;
  });
  const line = await broker.printed(/(Broker for .*\n)/);
  return { ...broker, line };
}

async function send(port: number, token: string, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${port}/${state.host}/path`, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
  });
  return { status: response.status, reason: response.headers.get("platform-reason"), text: await response.text() };
}

describe("platform broker", () => {
  it("sends the request of an agent with the secret, up to the approved number, until it is locked", async () => {
    const port = await freePort();
    const broker = await startBroker(port);
    expect(broker.line).toContain(`at http://127.0.0.1:${port}. Agents may use items of: Work.`);
    const token = await approveUses(2);
    expect(await send(port, token)).toEqual({ status: 200, reason: null, text: "done" });
    expect(await send(port, token)).toMatchObject({ status: 200 });
    expect(await send(port, token)).toMatchObject({ status: 403, reason: "DELEGATION_EXHAUSTED" });
    expect(state.arrived).toBe(2);
    broker.child.kill("SIGINT");
    expect(await broker.ended).toMatchObject({ code: 0, err: "" });
  });

  it(`of 10 uses, no more than 10 requests arrive, whenever it is killed (${kills} times)`, async () => {
    const port = await freePort();
    const token = await approveUses(10);
    for (let kill = 0; kill < Number(kills); kill += 1) {
      const broker = await startBroker(port);
      const sent = Array.from({ length: 2 }, () => send(port, token).catch(() => undefined));
      // A moment that differs: before the count, between the count and the answer, after it.
      await new Promise((done) => setTimeout(done, Math.random() * 60));
      broker.child.kill("SIGKILL");
      await Promise.all([broker.ended, ...sent]);
      expect(state.arrived).toBeLessThanOrEqual(10);
    }
    await startBroker(port);
    await Promise.all(Array.from({ length: 64 }, () => send(port, token)));
    expect(state.arrived).toBeGreaterThan(0);
    expect(state.arrived).toBeLessThanOrEqual(10);
    expect(await send(port, token)).toMatchObject({ status: 403, reason: "DELEGATION_EXHAUSTED" });
  });

  it("has no keys any more after platform lock, and says so", async () => {
    const port = await freePort();
    await startBroker(port);
    const token = await approveUses(5);
    await rm(join(platform.files, "unlocked.json"));
    expect(await send(port, token)).toMatchObject({ status: 423, reason: "LOCKED" });
    expect(state.arrived).toBe(0);
  });
});
