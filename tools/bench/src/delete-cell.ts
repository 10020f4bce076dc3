import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import {
  connectHostOptions,
  createAuthenticator,
  createDoor,
  createKeyRing,
  createMemoryKeyStore,
  createPlatform,
  createProofKeys,
  createSecrets,
  createSqliteStorage,
  createTokenIssuer,
  createTokenVerifier,
  systemClock,
} from "@platform/server";
import { Visibility } from "@platform/types";
import { destination, pino } from "pino";
import { cannedItem } from "./canned.ts";
import { serveCell } from "./cell.ts";
import { itemName, vaultName, vaults } from "./seed.ts";

const [host, items] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "platform-bench-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

const clock = systemClock;
const keyRing = await createKeyRing({ store: createMemoryKeyStore(), clock });
const names = { issuer: "https://bench.example", audience: "https://bench.example/api" };
// One commit for each delete is what a service has that does not batch.
const storage = createSqliteStorage({
  path: join(directory, "bench.sqlite"),
  ...(host === "stock" && { batchLimit: 1 }),
});
const secrets = createSecrets({ hmacKey: keyRing.hmacKey, clock });
const platform = createPlatform({
  storage,
  clock,
  secrets,
  issuer: createTokenIssuer({ keyRing, ...names, brokerAudience: "https://bench.example/broker" }),
  authenticator: createAuthenticator({ verifier: createTokenVerifier({ keyRing, clock, ...names }), storage, clock }),
  proofKeys: createProofKeys(),
  rateLimiter: undefined,
  guesses: undefined,
});
const token = await seed(Number(items));
const logger = pino({ level: "info" }, destination({ dest: "/dev/null", minLength: 8192, sync: true }));

if (host === "stock") {
  const adapter = connectNodeAdapter(connectHostOptions(platform.routes, platform.admit));
  const server = createServer((request, response) => {
    response.on("close", () => logger.info({ operation: request.url, code: "ok" }, "request"));
    adapter(request, response);
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    serveCell(typeof address === "object" && address !== null ? address.port : 0, token);
  });
} else {
  const door = createDoor({ ...platform, visibility: Visibility.PUBLIC, logger });
  serveCell((await door.listen(0, "127.0.0.1")).port, token);
}

/** Fills the vaults, and gives a token of one who may empty them. */
async function seed(count: number): Promise<string> {
  const who = { tenantId: "tenant-1", principalId: "principal-1", oauthClientId: "client-1" };
  const call = { actor: { ...who, tokenId: "", operation: "seed", requestId: "seed" }, wanted: () => true };
  const { tenantId, principalId, oauthClientId } = who;
  const allowedOperations = ["platform.v1.VaultService/DeleteItem"];
  const { operations } = platform;
  await operations.setPrincipal({ tenantId, principalId, active: true }, call);
  await operations.setOauthClient({ tenantId, oauthClientId, name: "bench", allowedOperations, enabled: true }, call);
  for (let vault = 0; vault < vaults; vault += 1) {
    const vaultId = vaultName(vault);
    await operations.createVault({ tenantId, vaultId, retentionDays: undefined }, call);
    await operations.setVaultMember({ tenantId, vaultId, principalId, role: "owner" }, call);
  }
  const { kind, titleHash, encryptedPayload, wrappedKeys } = cannedItem;
  const content = { kind, titleHash, encryptedPayload, wrappedKeys, tenantId, baseVersion: 0 };
  for (let at = 0; at < count; at += 1000) {
    const batch = Array.from({ length: Math.min(1000, count - at) }, (_, index) => at + index);
    await Promise.all(
      batch.map((item) =>
        operations.putItem({ ...content, vaultId: vaultName(item % vaults), itemId: itemName(item) }, call),
      ),
    );
  }
  const scopes = ["vault.items:delete"];
  const { accessToken } = await operations.issueAccessToken({ ...who, scopes, lifeSeconds: 900 }, call);
  return accessToken;
}
