import { cp, readFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { content } from "@platform-rpc/accounts/testing/item-content";
import { startHaproxy as start } from "@platform-rpc/testbed/haproxy";
import { freePort } from "@platform-rpc/testbed/network";
import { expect, it, onTestFinished } from "vitest";
import { createAdminClients } from "../../src/rpc/admin-clients.js";
import { haproxy } from "../../src/testing/installed.js";
import { runApp } from "../../src/testing/program.js";
import { temporaryFolder } from "../../src/testing/temporary-folder.js";

const deletion = "platform.v1.VaultService/DeleteItem";
const subject = { tenantId: "t-1", principalId: "p-1", oauthClientId: "c-1" };
const item = { vaultId: "v-1", itemId: "i-1" };

const quiet = { RATE_LIMITS: "off", DEMO: "off", LOG_SUCCESSES: "0" };

/** Creates a database with one item, and returns its folder and a token that may delete the item. */
async function createDatabase() {
  const dataDir = await temporaryFolder();
  const app = await runApp({ ...quiet, DATA_DIR: dataDir });
  const adminToken = await readFile(join(dataDir, "admin.token"), "utf8");
  const { vaults, access } = createAdminClients({ ...app, adminToken });
  await access.setPrincipal({ ...subject, active: true });
  await access.setOauthClient({ ...subject, name: "C", allowedOperations: [deletion], enabled: true });
  await vaults.createVault({ ...subject, ...item });
  await vaults.setVaultMember({ ...subject, ...item, role: "owner" });
  await vaults.putItem({ ...subject, ...item, baseVersion: 0, ...content });
  const { accessToken } = await access.issueAccessToken({ ...subject, scopes: ["vault.items:delete"] });
  await app.stop();
  return { dataDir, accessToken };
}

/** Starts a process with its own copy of the database, which contains the grant of the token. */
async function startProcess(database: string) {
  const port = await freePort();
  const dataDir = await temporaryFolder();
  await cp(database, dataDir, { recursive: true });
  const drain = { DRAIN_DELAY_SECONDS: "3" };
  const environment = { ...quiet, ...drain, DATA_DIR: dataDir, PORT: String(port) };
  let app = await runApp(environment);
  return {
    port,
    stop: () => app.stop(),
    async start() {
      app = await runApp(environment);
    },
  };
}

/**
 * Calls DeleteItem on connections that stay open, until `stop` is called. A pause of 20 ms after each call leaves CPU time to the
 * other tests, and makes connections idle when a process closes them.
 */
function startLoad(url: string, token: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const results = new Map<string, number>();
  let stopped = false;
  const body = JSON.stringify({ ...item, baseVersion: 1 });
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    "Connect-Protocol-Version": "1",
    "Content-Length": String(body.length),
  };
  const send = () =>
    new Promise<string>((resolve) => {
      const sent = request(`${url}/${deletion}`, { method: "POST", agent, headers }, (response) => {
        response.resume();
        response.on("end", () => resolve(String(response.statusCode)));
        response.on("error", (error) => resolve(error.message));
      });
      sent.on("error", (error) => resolve(error.message));
      sent.end(body);
    });
  const loops = Array.from({ length: connections }, async () => {
    while (!stopped) {
      const result = await send();
      results.set(result, (results.get(result) ?? 0) + 1);
      await setTimeout(20);
    }
  });
  return {
    results,
    async stop() {
      stopped = true;
      await Promise.all(loops);
      agent.destroy();
    },
  };
}

it.skipIf(haproxy.skip)(
  `no call fails while two processes behind HAProxy are restarted one after the other${haproxy.note}`,
  async () => {
    const { dataDir, accessToken } = await createDatabase();
    const processes = [await startProcess(dataDir), await startProcess(dataDir)];
    const proxy = await startHaproxy(processes.map(({ port }) => port));
    const used = (port: number) => expect.poll(() => proxy.uses(port)).toBe(true);
    for (const { port } of processes) await used(port);

    const load = startLoad(proxy.url, accessToken, 16);
    onTestFinished(load.stop);
    const calls = () => [...load.results.values()].reduce((sum, count) => sum + count, 0);
    const moreCalls = async () => {
      const before = calls();
      await expect.poll(calls).toBeGreaterThan(before + 200);
    };
    await moreCalls();
    for (const each of processes) {
      expect(await each.stop()).toBe(0);
      await moreCalls();
      await each.start();
      await used(each.port);
      await moreCalls();
    }
    await load.stop();
    expect([...load.results.keys()]).toEqual(["200"]);
  },
);

/**
 * Starts HAProxy in front of processes on this machine, until the test ends. It checks their readiness every 100 ms, keeps
 * connections open, and sends no request twice: a process that closes too early causes an error.
 */
async function startHaproxy(ports: readonly number[]) {
  const haproxy = await start({
    defaults: [
      ...["retries 0", "timeout connect 5s", "timeout client 30s", "timeout server 30s", "timeout http-keep-alive 30s"],
      // Default: the interval of the checks, which a busy machine misses.
      "timeout check 10s",
    ],
    backend: [
      ...["balance roundrobin", "http-reuse always", "option httpchk GET /readyz", "http-check expect status 200"],
      "default-server check inter 100ms fall 1 rise 1",
      ...ports.map((port) => `server s${port} 127.0.0.1:${port}`),
    ],
  });
  onTestFinished(() => haproxy[Symbol.asyncDispose]());
  return {
    url: `http://127.0.0.1:${haproxy.port}`,
    /** Returns whether HAProxy sends requests to the process at a port. */
    uses: (server: number) => haproxy.uses(`s${server}`),
  };
}
