import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import {
  type Call,
  createFileKeyStore,
  createListener,
  createPlatform,
  createSqliteStorage,
  jsonDocument,
  publicContract,
} from "@platform-rpc/server";

const { PORT = "9080", DATA_DIR = "data/reference" } = process.env;
mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 });
const storage = createSqliteStorage({ path: `${DATA_DIR}/platform.sqlite` });
const platform = await createPlatform({
  contract: publicContract,
  storage,
  keys: createFileKeyStore(`${DATA_DIR}/keys.json`),
  issuer: "https://platform.example",
  audience: "https://platform.example/api",
  brokerAudience: "https://platform.example/broker",
});
const listener = createListener(platform, {
  logger: { info: () => {}, error: console.error },
  documents: new Map([
    ["/healthz", () => jsonDocument(200, { status: "ok" })],
    // The keys with which broker.ts verifies tokens. They rotate.
    ["/.well-known/jwks.json", () => jsonDocument(200, platform.keyRing.jwks(), "public, max-age=600")],
  ]),
});

// What client.ts needs: a person, a vault, a program with a token, and an item. Your own pages and programs create them.
const { own } = platform;
const place = { tenantId: "acme", vaultId: crypto.randomUUID() };
const ada = { tenantId: "acme", principalId: "ada" };
const desktop = { tenantId: "acme", oauthClientId: "desktop" };
const setup = { tenantId: "acme", principalId: "setup", oauthClientId: "setup", tokenId: "none", operation: "setup" };
const call: Call = { actor: { ...setup, requestId: crypto.randomUUID() }, wanted: () => true };
const allowedOperations = ["platform.v1.VaultService/DeleteItem"];
await own.setPrincipal({ ...ada, active: true }, call);
await own.setOauthClient({ ...desktop, name: "Desktop", allowedOperations, enabled: true }, call);
requireOk(await own.createVault({ ...place, retentionDays: 30 }, call));
requireOk(await own.setVaultMember({ ...place, ...ada, role: "owner" }, call));
const token = { ...ada, ...desktop, scopes: ["vault.items:delete"], lifeSeconds: 900 };
const { accessToken } = await own.issueAccessToken(token, call);
// Items are encrypted before they reach the platform: see `sealItem` of @platform-rpc/client/crypto.
const encryptedPayload = { alg: "A256GCM", nonce: "MDEyMzQ1Njc4OWFi", aad: "", ciphertext: "c2VjcmV0", version: 1 };
const item = { ...place, itemId: "login-1", kind: "login", titleHash: "", encryptedPayload, wrappedKeys: [] };
requireOk(await own.putItem({ ...item, access: "administrator", baseVersion: 0 }, call));

const stopping = new AbortController();
const jobs = platform.jobs.map(async ({ name, everyMs, run }) => {
  while (!stopping.signal.aborted) {
    await run(stopping.signal).catch((error: unknown) => console.error(name, error));
    await setTimeout(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
  }
});
const { port } = await listener.listen(Number(PORT), "127.0.0.1");
const found = { baseUrl: `http://127.0.0.1:${port}`, accessToken, vaultId: place.vaultId, itemId: item.itemId };
writeFileSync(`${DATA_DIR}/client.json`, JSON.stringify(found), { mode: 0o600 });
console.log(`serving ${[...publicContract.operations.keys()].length} operations at ${found.baseUrl}`);

await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
stopping.abort();
await listener.close();
await Promise.all(jobs);
await platform.recordTokenUses();
await storage.close();

/** An operation that is rejected changes nothing, and says why. */
function requireOk(result: { readonly ok: true } | { readonly ok: false; readonly reason: string }): void {
  if (!result.ok) throw new Error(result.reason);
}
