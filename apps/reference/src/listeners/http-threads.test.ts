import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { MessageChannel } from "node:worker_threads";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { deviceGrant, post, textOf } from "../accounts/oauth/testing/oauth-app.js";
import { createThreadMemory } from "../metrics/thread-figures.js";
import { FatalError } from "../process/jobs.js";
import { createAdminClients } from "../rpc/admin-clients.js";
import { readSettings } from "../settings/settings.js";
import { type ProgramOptions, runApp, runProgram } from "../testing/program.js";
import { newTemporaryFolder, temporaryFolder } from "../testing/temporary-folder.js";
import { createHttpThreads } from "./http-threads.js";

const sh = async (line: string) => (await promisify(execFile)("sh", ["-c", line])).stdout;

/** Sends a request on a new connection: the kernel assigns each connection to any of the threads. */
function send(url: string, init: { readonly token?: string; readonly body?: unknown } = {}): Promise<Response> {
  const headers = {
    Connection: "close",
    "Content-Type": "application/json",
    "Connect-Protocol-Version": "1",
    ...(init.token !== undefined && { Authorization: `Bearer ${init.token}` }),
  };
  return init.body === undefined
    ? fetch(url, { headers })
    : fetch(url, { method: "POST", headers, body: JSON.stringify(init.body) });
}

/** Starts the program with the demo and two workers. */
async function runWorkers(dataDir: string, options?: ProgramOptions) {
  const app = await runApp({ DATA_DIR: dataDir, WORKERS: "2" }, options);
  const admin = createAdminClients({ ...app, adminToken: await readFile(join(dataDir, "admin.token"), "utf8") });
  return {
    ...app,
    admin,
    /** Issues a token that may delete items to a new principal, with its own rate of calls. */
    async issueToken(principalId: string) {
      const subject = { tenantId: "demo", oauthClientId: "platform-mcp", principalId };
      await admin.access.setPrincipal({ ...subject, active: true });
      return (await admin.access.issueAccessToken({ ...subject, scopes: ["vault.items:delete"] })).accessToken;
    },
    /** Deletes an item that does not exist, and returns the status. */
    async deleteNothing(token: string) {
      const body = { vaultId: "none", itemId: "none", baseVersion: 1 };
      return (await send(`${app.publicUrl}/platform.v1.VaultService/DeleteItem`, { token, body })).status;
    },
  };
}

/** Exchanges a device code for the token of an agent, and deletes an item with it while the agent waits for changes. */
async function followDeletion({ admin, publicUrl, accountsUrl }: Awaited<ReturnType<typeof runWorkers>>) {
  const tenantId = "demo";
  const vaultId = "followed";
  const client = { tenantId, oauthClientId: "platform-mcp" };
  const agent = { ...client, principalId: "demo-user" };
  const scopes = ["vault.items:read", "vault.items:delete"];
  await admin.vaults.createVault({ tenantId, vaultId });
  await admin.vaults.setVaultMember({ tenantId, vaultId, principalId: agent.principalId, role: "member" });
  const content = { kind: "login", encryptedPayload: { alg: "A256GCM", nonce: "bg", ciphertext: "Yw", version: 1 } };
  await admin.vaults.putItem({ tenantId, vaultId, itemId: "item-1", ...content });
  const codes = await admin.authorizations.startDeviceAuthorization({ ...client, scopes });
  await admin.authorizations.approveDeviceAuthorization({ ...agent, scopes, userCode: codes.userCode });
  const exchangeScopes = ["identity.device_authorizations:exchange"];
  const caller = await admin.access.issueAccessToken({ ...agent, scopes: exchangeScopes });
  const exchanged = await send(`${publicUrl}/platform.v1.IdentityGatewayService/ExchangeMcpOauthDeviceAuthorization`, {
    token: caller.accessToken,
    body: { deviceCode: codes.deviceCode },
  });
  const { accessToken: token, brokerToken } = tokens.parse(await exchanged.json());
  const listChanges = `${accountsUrl}/platform.accounts.v1.MemberVaultService/ListChanges`;
  const body = { vaultId, afterSequence: 1, limit: 9, waitSeconds: 10 };
  const waiting = send(listChanges, { token, body });
  const deletion = { vaultId, itemId: "item-1", baseVersion: 1 };
  await send(`${publicUrl}/platform.v1.VaultService/DeleteItem`, { token, body: deletion });
  return { own: brokerToken.scopes, waited: await (await waiting).json() };
}

const tokens = z.object({ accessToken: z.string(), brokerToken: z.object({ scopes: z.array(z.string()) }) });

describe.runIf(process.platform === "linux")("the program with several workers (on Linux)", () => {
  let app: Awaited<ReturnType<typeof runWorkers>>;
  beforeAll(async () => {
    await using started = new AsyncDisposableStack();
    const folder = await newTemporaryFolder();
    started.defer(folder.remove);
    app = await runWorkers(folder.path, { atEnd: (end) => started.defer(end) });
    const running = started.move();
    return async () => {
      await using _ = running;
      expect(await app.stop()).toBe(0);
    };
  });

  it("answers each curl line with 200, however often it is run, logs every call, and stops with 0", async () => {
    const app = await runWorkers(await temporaryFolder());
    const [first = "", second = ""] = app.curlLines();
    const lines = Array.from({ length: 8 }, () => [first, second]).flat();
    for (const line of lines) expect(await sh(`${line} -w '\\n%{http_code}'`)).toMatch(/\n200$/);
    expect(await app.stop()).toBe(0);
    expect(app.err().match(/"msg":"request"/g)).toHaveLength(lines.length);
  });

  it("DECISIONS section 7: all threads together allow a principal the rate of DeleteItem", async () => {
    const token = await app.issueToken("frequent-caller");
    const startedAt = performance.now();
    const statuses = await Promise.all(Array.from({ length: 200 }, () => app.deleteNothing(token)));
    const refilled = Math.ceil((performance.now() - startedAt) / 100);
    const admitted = statuses.filter((status) => status === 404).length;
    expect(statuses.filter((status) => status === 429)).toHaveLength(200 - admitted);
    expect(admitted).toBeGreaterThanOrEqual(100);
    expect(admitted).toBeLessThanOrEqual(100 + refilled);
  });

  it("DECISIONS section 5: every thread rejects a revoked token within a second", async () => {
    const token = await app.issueToken("revoked-caller");
    const callAll = async () => new Set(await Promise.all(Array.from({ length: 16 }, () => app.deleteNothing(token))));
    expect(await callAll()).toEqual(new Set([404]));
    const { jti } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    await app.admin.access.revokeToken({ tokenId: jti });
    await expect.poll(callAll, { timeout: 5_000 }).toEqual(new Set([401]));
  });

  it("DECISIONS section 9: each thread records the access tokens of refreshed sessions that it accepts", async () => {
    const subject = { tenantId: "demo", principalId: "demo-user" };
    const client_id = "platform-mcp";
    const token = (form: object) => post(`${app.accountsUrl}/oauth/token`, { client_id, ...form });
    const sessions: (() => ReturnType<typeof post>)[] = [];
    // One after the other: user codes that are sent at the same time count as guesses.
    while (sessions.length < 8) {
      const started = await post(`${app.accountsUrl}/oauth/device_authorization`, { client_id });
      const approval = { ...subject, userCode: textOf(started, "user_code"), scopes: ["vault.items:delete"] };
      await app.admin.authorizations.approveDeviceAuthorization(approval);
      const device_code = textOf(started, "device_code");
      const first = textOf(await token({ grant_type: deviceGrant, device_code }), "refresh_token");
      const refresh = () => token({ grant_type: "refresh_token", refresh_token: first });
      // On a new connection, which the kernel assigns to any of the threads.
      expect(await app.deleteNothing(textOf(await refresh(), "access_token"))).toBe(404);
      sessions.push(refresh);
    }
    const errors = async () =>
      new Set(await Promise.all(sessions.map(async (refresh) => (await refresh()).json.error)));
    await expect.poll(errors, { timeout: 10_000, interval: 500 }).toEqual(new Set(["invalid_grant"]));
  });

  it("every thread grants the scopes of members, and a waiting member gets a change that any of them commits", async () => {
    const { own, waited } = await followDeletion(app);
    expect(own).toContain("vault.items:read");
    expect(waited).toMatchObject({ changes: [{ item: { itemId: "item-1", deleted: true } }], cursor: { sequence: 2 } });
  });

  it("every thread serves the public documents, and reports the readiness of the process", async () => {
    for (const path of ["/readyz", "/healthz", "/.well-known/jwks.json", "/openapi.json"]) {
      const read = async () => {
        const answer = await send(app.publicUrl + path);
        return `${answer.status} ${await answer.text()}`;
      };
      const [first, ...others] = new Set(await Promise.all(Array.from({ length: 16 }, read)));
      expect(first).toMatch(/^200 /);
      expect(others).toEqual([]);
    }
  });

  it("does not share its port with another program", async () => {
    const { port } = new URL(app.publicUrl);
    const second = runProgram("main", { DATA_DIR: await temporaryFolder(), WORKERS: "2", PORT: port });
    expect(await second.ended).toBe(1);
    expect(second.err()).toMatch(/Port \d+ .* is in use by another process/);
  });
});

describe("the threads of the public listener", () => {
  it("cause a fatal error when one fails", async () => {
    const errors: FatalError[] = [];
    const threads = createHttpThreads({
      settings: { ...readSettings({ WORKERS: "1" }), workers: 2 },
      clock: { now: () => 1 },
      connections: 10,
      connectStorage: () => new MessageChannel().port1,
      readiness: () => ({ status: 200, contentType: "text/plain", body: "" }),
      afterCall: async () => {},
      writeLog: () => {},
      addThread: createThreadMemory,
      onFatal: (error) => errors.push(error),
    });
    onTestFinished(() => threads.close());
    // The module of the thread exists only in the built program.
    await expect(threads.listen(0, "127.0.0.1")).rejects.toThrow(FatalError);
    expect(errors).toContainEqual(expect.objectContaining({ message: "an HTTP thread failed" }));
  });
});
