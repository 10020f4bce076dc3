import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Client, type ElicitResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createFileSessionStore } from "@platform-rpc/client/session-file";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { runApp } from "./testing/run-app.js";
import { type Revision, revisions } from "./testing/start-server.js";

const program = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const principalId = "ada";
const place = { vaultId: "v-1", itemId: "i-1" };
const content = {
  kind: "login",
  titleHash: "dGl0bGU",
  encryptedPayload: { alg: "A256GCM", nonce: "bm9uY2U", aad: "YWFk", ciphertext: "c2VjcmV0", version: 1 },
  wrappedKeys: [{ recipientId: "p-1", wrapAlg: "RSA-OAEP-256", wrappedKey: "a2V5" }],
};
const scopes = ["vault.items:read", "vault.items:delete", "vault.items:restore"];

/** Starts the app with one item, and the built program with a scripted MCP client over stdio. */
async function start(revision: Revision) {
  const folder = await mkdtemp(join(tmpdir(), "mcp-"));
  const [dataDir, configDir] = [join(folder, "data"), join(folder, "config")];
  await mkdir(dataDir);
  onTestFinished(() => rm(folder, { recursive: true }));
  const app = await runApp(dataDir);
  await app.admin("AccessAdminService/SetPrincipal", { principalId, active: true });
  await app.admin("VaultAdminService/CreateVault", { vaultId: place.vaultId });
  await app.admin("VaultAdminService/SetVaultMember", { vaultId: place.vaultId, principalId, role: "owner" });
  await app.admin("VaultAdminService/PutItem", { ...place, ...content, baseVersion: 0 });

  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program],
    env: { PLATFORM_URL: app.publicUrl, PLATFORM_CONFIG_DIR: configDir },
    stderr: "pipe",
  });
  let log = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  const client = new Client(
    { name: "scripted", version: "1.0.0" },
    {
      capabilities: { elicitation: { form: {}, url: {} } },
      versionNegotiation: { mode: revision === "legacy" ? "legacy" : { pin: revision } },
    },
  );
  let logins = 0;
  const forms: string[] = [];
  const answers: (() => ElicitResult | Promise<ElicitResult>)[] = [];
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    if (params.mode !== "url") {
      forms.push(params.message);
      return (await answers.shift()?.()) ?? { action: "cancel" };
    }
    const userCode = new URL(params.url).searchParams.get("user_code");
    logins += 1;
    // A login asks for no more than the tools need that were called so far. Approving more would fail.
    await app.admin("DeviceAuthorizationService/ApproveDeviceAuthorization", {
      principalId,
      userCode,
      scopes: scopes.slice(0, logins),
    });
    return { action: "accept" };
  });
  await client.connect(transport);
  onTestFinished(() => client.close());

  const results: string[] = [];
  return {
    app,
    forms,
    log: () => log,
    results,
    sessionFile: join(configDir, "mcp-session.json"),
    answer: (next: () => ElicitResult | Promise<ElicitResult>) => void answers.push(next),
    async call(name: string, args: Readonly<Record<string, unknown>>) {
      const result = await client.callTool({ name, arguments: { ...args } });
      results.push(JSON.stringify(result));
      return result;
    },
  };
}

it.each(revisions)(
  "over stdio with revision %s, a person signs in, consents, decides a conflict, restores, and is refused after revocation",
  async (revision) => {
    const { app, forms, log, results, sessionFile, answer, call } = await start(revision);
    const accept = (content: Record<string, string | boolean>) => () => ({ action: "accept" as const, content });

    const listed = await call("list_items", {});
    expect(listed.structuredContent).toMatchObject({ vaultId: "v-1", items: [{ ...place, version: 1 }] });
    expect((await stat(sessionFile)).mode & 0o777).toBe(0o600);

    answer(accept({ delete: true }));
    expect(await call("delete_item", { item: "i-1", version: 1 })).toMatchObject({
      structuredContent: { outcome: "deleted", version: 2 },
    });
    expect(await call("list_items", { deleted: true })).toMatchObject({
      structuredContent: { items: [{ itemId: "i-1", version: 2, deleted: true }] },
    });
    expect(await call("restore_item", { item: "i-1", version: 1 })).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringMatching(/The current version is 2\.\nReason: VERSION_CONFLICT\nRequest id: \S+/) },
      ],
    });
    expect(await call("restore_item", { item: "i-1", version: 2 })).toMatchObject({
      structuredContent: { version: 3, deleted: false },
    });

    answer(async () => {
      await app.admin("VaultAdminService/PutItem", { ...place, ...content, kind: "note", baseVersion: 3 });
      return { action: "accept", content: { delete: true } };
    });
    answer(accept({ decision: "keep theirs" }));
    expect(await call("delete_item", { item: "i-1", version: 3 })).toMatchObject({
      structuredContent: { outcome: "not deleted", decision: "keep theirs" },
    });
    expect(forms.map((message) => message.split("\n")[0])).toEqual([
      "The assistant asks to delete this item:",
      "The assistant asks to delete this item:",
      "Somebody changed item i-1 of vault v-1 before it was deleted.",
    ]);
    expect(forms[2]).toMatch(/Yours: version 3.*\nCurrent: version 4, kind note/);

    const secrets = z
      .object({ refreshToken: z.string(), accessToken: z.string(), key: z.object({ d: z.string() }) })
      .parse(JSON.parse(await readFile(sessionFile, "utf8")));
    const form = new URLSearchParams({ client_id: "platform-mcp", token: secrets.refreshToken });
    expect((await fetch(`${app.accountsUrl}/oauth/revoke`, { method: "POST", body: form })).status).toBe(200);
    // A revocation takes effect within a second.
    let refused = await call("list_items", {});
    while (refused.isError !== true) refused = await call("list_items", {});
    expect(refused.content).toMatchObject([
      { text: expect.stringMatching(/Call the tool again to sign in\.\nReason: UNAUTHENTICATED\nRequest id: \S+/) },
    ]);

    for (const secret of [secrets.refreshToken, secrets.accessToken, secrets.key.d]) {
      expect(log() + results.join("")).not.toContain(secret);
    }
  },
);

it("over stdio, reports an invalid message, and ends with its client, also while a login waits for its approval", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mcp-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { publicUrl } = await runApp(folder);
  const child = spawn(process.execPath, [program], {
    env: { PLATFORM_URL: publicUrl, PLATFORM_CONFIG_DIR: join(folder, "config") },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.write('{"jsonrpc":"2.0","id":{},"method":"ping"}\n');
  expect(String(await once(child.stderr, "data"))).toBe(
    "A message was ignored: it is not valid JSON-RPC 2.0. Report this to the MCP client.\n",
  );
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_items", arguments: {} } };
  child.stdin.write(`${JSON.stringify(call)}\n`);
  expect(String(await once(child.stdout, "data"))).toContain(
    "This tool needs the approval of the person. Ask them to open",
  );
  child.stdin.end();
  expect(await once(child, "exit")).toEqual([0, null]);
});

/** Starts the authorization server of another platform, where revocations fail. */
async function startOtherPlatform() {
  const revoked: (string | null)[] = [];
  const server = createServer(async (request, response) => {
    if (request.url !== "/revoke") {
      const metadata = { issuer: url, revocation_endpoint: `${url}/revoke` };
      return void response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(metadata));
    }
    revoked.push(new URLSearchParams(await text(request)).get("token"));
    response.writeHead(503).end();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : undefined}`;
  return { url, revoked };
}

it("RFC 7009: a login revokes the session at another platform that it replaces, and succeeds even if that fails", async () => {
  const other = await startOtherPlatform();
  const { log, sessionFile, call } = await start("2026-07-28");
  const keyPair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  await createFileSessionStore(sessionFile).save({
    issuer: other.url,
    resource: other.url,
    clientId: "platform-mcp",
    scopes,
    keyPair,
    accessToken: "access-1",
    refreshToken: "refresh-1",
    expiresAt: new Date().toISOString(),
  });
  expect((await call("list_items", {})).isError).not.toBe(true);
  await expect
    .poll(log)
    .toContain(`Your previous session has not ended on the server. End it at ${other.url}/account.`);
  expect(other.revoked).toEqual(["refresh-1"]);
  expect(log()).not.toContain("refresh-1");
});
