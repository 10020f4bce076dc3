import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { parseRecoveryCode } from "@platform-rpc/accounts/keys/recovery-code";
import { deriveRecoveryKeys, signRecoveryChallenge } from "@platform-rpc/accounts/keys/recovery-keys";
import { deviceGrant, post, postWithKey, type TestKey, textOf } from "@platform-rpc/accounts/oauth/testing/oauth-calls";
import { begin } from "@platform-rpc/accounts/testing/person";
import { openSiteBrowser, type SiteBrowser } from "@platform-rpc/accounts/testing/site-browser";
import { freePort } from "@platform-rpc/testbed/network";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import { demoFilesIn, demoUser } from "../../../src/demo-data/demo-files.js";
import { demoTenant } from "../../../src/settings/settings.js";
import type { TestApp } from "../../../src/testing/start-test-app.js";
import { newUnlockedCommandLine } from "../../../src/testing/unlocked-command-line.js";

/** The running app with the demo, in this process or another one. */
export type BrokerApp = Pick<
  TestApp,
  "publicUrl" | "internalUrl" | "accountsUrl" | "pagesUrl" | "adminToken" | "dataDir" | "admin"
>;

const secret = "s3cret-of-the-upstream";
const scopes = ["vault.items:read", "vault.items:write", "vault.items:use", "vaults:manage"];
const agentId = "agent";
const activity = z.object({ entries: z.array(z.object({ position: z.number(), event: z.string() })) });

export type BrokerSetUp = Awaited<ReturnType<typeof newBrokerSetUp>>;

/** Creates an agent, an upstream, and the program `platform` of a person who has an item for it. All of it ends with the test. */
export async function newBrokerSetUp(app: BrokerApp) {
  const useItem = "platform.accounts.v1.ItemUseService/UseItem";
  const client = { tenantId: demoTenant, oauthClientId: agentId, name: "Agent", allowedOperations: [useItem] };
  await app.admin("AccessAdminService/SetOauthClient", { ...client, enabled: true });
  const { commandLine, files, workId } = await newUnlockedCommandLine(app, scopes);
  onTestFinished(commandLine.remove);
  const upstream = await startUpstream();
  const { host } = upstream;
  const words = ["--vault", "Work", "--kind", "api_key", "--title", "Upstream", `key=${secret}`, `host=${host}`];
  expect(await commandLine.run("items", "create", ...words)).toMatchObject({ code: 0 });
  const port = await freePort();

  return {
    ...{ commandLine, files, upstream, host, port },

    /** Approves uses of the agent, as the person does. Resolves with its broker token, which is bound to the key if there is one. */
    async approveUses(changes: object = {}, key?: TestKey): Promise<string> {
      const send = (path: string, form: Readonly<Record<string, string>>) => {
        const [url, sent] = [`${app.accountsUrl}/oauth/${path}`, { client_id: agentId, ...form }];
        return key === undefined ? post(url, sent) : postWithKey(url, sent, key);
      };
      const scope = "vault.items:use";
      const started = await send("device_authorization", { scope });
      const bounds = { vaultIds: [workId], actions: ["use"], ...changes };
      const approval = { tenantId: demoTenant, principalId: demoUser, userCode: textOf(started, "user_code"), bounds };
      await app.admin("DeviceAuthorizationService/ApproveDeviceAuthorization", { ...approval, scopes: [scope] });
      const redeemed = { grant_type: deviceGrant, device_code: textOf(started, "device_code") };
      const resource = "https://platform.example/broker";
      return textOf(await send("token", { ...redeemed, resource }), "access_token");
    },

    /** Starts the broker. It is killed at the end of the test. */
    async startBroker(...options: readonly string[]) {
      const words = ["broker", "--port", `${port}`, "--allow-loopback-http", ...options];
      const broker = commandLine.startProgram(words);
      onTestFinished(async () => {
        broker.child.kill("SIGKILL");
        await broker.ended;
      });
      const line = await broker.printed(/(Broker for .*\n)/);
      return { ...broker, line };
    },

    /** Sends a request for the upstream to the broker, as the agent. */
    async send(token: string, { path = "/path", headers = {}, at = `http://127.0.0.1:${port}` } = {}) {
      const response = await fetch(`${at}/${host}${path}`, {
        headers: { Authorization: `Bearer ${token}`, ...headers },
      });
      return { status: response.status, reason: response.headers.get("platform-reason"), text: await response.text() };
    },

    /** Signs the person in, in a browser. */
    async signIn(): Promise<SiteBrowser> {
      const browser = openSiteBrowser(app.pagesUrl ?? expect.unreachable());
      const { recoveryCode } = demoFilesIn(join(app.dataDir, "demo"));
      const parsed = parseRecoveryCode(await readFile(recoveryCode, "utf8"));
      const { locator, signInKey } = await deriveRecoveryKeys(parsed.ok ? parsed.code : expect.unreachable());
      const { challenge } = await begin(browser, "sign-in", { again: false });
      const signature = await signRecoveryChallenge(signInKey, { origin: browser.origin, challenge });
      const json = { how: "recovery code", locator, signature };
      expect(await browser.send("/account/api/sign-in/finish", { json })).toMatchObject({ status: 200 });
      return browser;
    },

    /** Returns what Activity lists of the agent's uses after a position, the newest first. */
    async usesIn(browser: SiteBrowser, after = 0) {
      const { body } = await browser.send(`/account/api/activity?kind=items&vault=${workId}&software=${agentId}`);
      return activity.parse(body).entries.filter(({ position }) => position > after);
    },
  };
}

/** Starts an upstream that counts the requests for each path. They contain the secret. */
async function startUpstream() {
  const state = {
    answer: ((_, response) => response.end("done")) as RequestListener,
    arrived: new Map<string, number>(),
  };
  const port = await startServer((request, response) => {
    const { url = "", headers } = request;
    expect(headers.authorization).toBe(`Bearer ${secret}`);
    state.arrived.set(url, (state.arrived.get(url) ?? 0) + 1);
    state.answer(request, response);
  });
  return Object.assign(state, { host: `127.0.0.1:${port}`, count: (path = "/path") => state.arrived.get(path) ?? 0 });
}

/** Starts a server on a free port, which it returns. It ends with the test. */
export async function startServer(answer: RequestListener): Promise<number> {
  const port = await freePort();
  const server = createServer(answer).listen(port, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return port;
}
