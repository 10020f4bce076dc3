import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ElicitRequest } from "@modelcontextprotocol/client";
import { createVaultKey, createWriterKeys, wrapVaultKey } from "@platform-rpc/client/crypto";
import { writeContent } from "@platform-rpc/items/item-content";
import { sealItem } from "@platform-rpc/items/vault/seal-item";
import { writeUnlocked } from "@platform-rpc/signed-in";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createLocalCaller } from "../../src/sign-in/local-caller.js";
import { createPlatform } from "../../src/sign-in/platform.js";
import { connectClient, createDeferred } from "../../src/testing/start-server.js";
import { runApp } from "../testing/run-app.js";

const principalId = "ada";
const place = { vaultId: "v-1", itemId: "i-1" };
const [title, password] = ["Zebra crossing 7319", "correct horse battery"];
const scopes = ["vault.items:read", "vault.items:delete", "vault.items:restore"];

/** A clock on which the n-th wait for an approval ends with the n-th approval. */
function createApprovals() {
  const approvals: ReturnType<typeof createDeferred>[] = [];
  const at = (index: number) => (approvals[index] ??= createDeferred());
  let [waits, approved] = [0, 0];
  return {
    approve: () => at(approved++).resolve(),
    clock: {
      now: Date.now,
      sleep: () => at(waits++).promise,
      // No deadline passes.
      after: () => () => {},
    },
  };
}

/** Seals an item, and returns it with what `platform unlock` stores to open it. */
async function sealedItem() {
  const [vaultKey, bytes] = [await createVaultKey(), crypto.getRandomValues(new Uint8Array(32))];
  const wrappingKey = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  const writer = await createWriterKeys({ extractable: true });
  const { d = "", x = "" } = await crypto.subtle.exportKey("jwk", writer.privateKey);
  const at = { vaultId: place.vaultId, keyId: "key-1", epoch: 1 };
  const key = { ...at, wrappedKey: await wrapVaultKey(vaultKey, { ...at, accountId: "unlock-1", wrappingKey }) };
  const text = writeContent({ title, fields: [{ name: "password", type: "secret", value: password }] });
  const sealer = { tenantId: "acme", ...place, key, boundTo: "unlock-1", wrappingKey };
  const item = await sealItem(
    { ...sealer, writer: { writerId: principalId, privateKey: writer.privateKey } },
    { itemId: place.itemId, baseVersion: 0, kind: "login", title, text },
  );
  return {
    item,
    unlocked: {
      ...{ tenantId: "acme", accountId: principalId, unlockId: "unlock-1", writerId: principalId },
      expiresAt: new Date(Date.now() + 600_000).toISOString(),
      wrappingKey: Buffer.from(bytes).toString("base64url"),
      vaults: [key],
      writers: [{ writerId: principalId, publicKey: x }],
      signingKey: { kty: "OKP", crv: "Ed25519", d, x } as const,
    },
  };
}

/** Starts the app with one item, and a server of the person who approves logins there. */
async function start() {
  const folder = await mkdtemp(join(tmpdir(), "mcp-"));
  const [dataDir, configDir] = [join(folder, "data"), join(folder, "config")];
  await mkdir(dataDir);
  onTestFinished(() => rm(folder, { recursive: true }));
  const app = await runApp(dataDir);
  await app.admin("AccessAdminService/SetPrincipal", { principalId, active: true });
  await app.admin("VaultAdminService/CreateVault", { vaultId: place.vaultId });
  await app.admin("VaultAdminService/SetVaultMember", { vaultId: place.vaultId, principalId, role: "owner" });
  const { item, unlocked } = await sealedItem();
  await app.admin("VaultAdminService/PutItem", { ...place, ...item });

  const log: string[] = [];
  const { approve, clock } = createApprovals();
  const connect = createPlatform({
    apiUrl: app.publicUrl,
    folder: configDir,
    notify: (line) => void log.push(line),
    signal: new AbortController().signal,
    clock,
  });
  // The person has approved before a call waits.
  const approvalWait = () => new Promise<never>(() => {});
  let logins = 0;
  return {
    ...(await connectClient(createLocalCaller({ connect, approvalWait }))),
    app,
    log,
    sessionFile: join(configDir, "mcp-session.json"),
    unlock: (accountId = principalId) => writeUnlocked(configDir, { ...unlocked, accountId, issuer: app.accountsUrl }),
    /** Approves a login on the page. It asks for no more than the tools need that were called so far. */
    async approve(params: ElicitRequest["params"]) {
      const userCode = params.mode === "url" && new URL(params.url).searchParams.get("user_code");
      logins += 1;
      const approval = { principalId, userCode, scopes: scopes.slice(0, logins) };
      await app.admin("DeviceAuthorizationService/ApproveDeviceAuthorization", approval);
      approve();
      return { action: "accept" as const };
    },
  };
}

it("a person signs in when a tool needs it, consents, restores, and is refused after revocation", async () => {
  const { app, log, sessionFile, unlock, answer, approve, call } = await start();
  const results: string[] = [];
  const called = async (...args: Parameters<typeof call>) => {
    const result = await call(...args);
    results.push(JSON.stringify(result));
    return result;
  };
  answer(approve);
  const listed = await called("list_items", {});
  expect(listed.structuredContent).toMatchObject({ vaultId: "v-1", items: [{ ...place, version: 1 }] });
  expect((await stat(sessionFile)).mode & 0o777).toBe(0o600);
  const notice = "Titles are encrypted. To see them, run on this computer: platform unlock";
  expect(listed.structuredContent).toMatchObject({ notice });
  await unlock("bob");
  expect((await called("list_items", {})).structuredContent).toMatchObject({ notice });
  await unlock();
  expect((await called("list_items", {})).structuredContent).toMatchObject({ items: [{ title, isVerified: true }] });
  answer(approve);
  answer(() => ({ action: "accept", content: { delete: true } }));
  expect(await called("delete_item", { item: "i-1", version: 1 })).toMatchObject({
    structuredContent: { outcome: "deleted", version: 2 },
  });
  answer(approve);
  expect(await called("restore_item", { item: "i-1", version: 1 })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/The current version is 2\.\nReason: VERSION_CONFLICT\nRequest id: \S+/),
  });
  expect(await called("restore_item", { item: "i-1", version: 2 })).toMatchObject({
    structuredContent: { version: 3, deleted: false },
  });

  const secrets = z
    .object({ refreshToken: z.string(), accessToken: z.string(), key: z.object({ d: z.string() }) })
    .parse(JSON.parse(await readFile(sessionFile, "utf8")));
  const form = new URLSearchParams({ client_id: "platform-mcp", token: secrets.refreshToken });
  expect((await fetch(`${app.accountsUrl}/oauth/revoke`, { method: "POST", body: form })).status).toBe(200);
  // A revocation takes effect within a second.
  await expect
    .poll(async () => (await called("list_items", {})).text)
    .toMatch(/Call the tool again to sign in\.\nReason: UNAUTHENTICATED\nRequest id: \S+/);
  for (const secret of [secrets.refreshToken, secrets.accessToken, secrets.key.d, password]) {
    expect(log.join("") + results.join("")).not.toContain(secret);
  }
  expect(log.join("")).not.toContain(title);
});
