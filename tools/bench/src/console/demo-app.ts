import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sealItem, titleHash } from "@platform-rpc/client/crypto";
import { adminOf, startApp } from "@platform-rpc/testbed/app";
import { freePort } from "@platform-rpc/testbed/network";
import { onFirstCore } from "../load/pinning.ts";

const rsa = { name: "RSA-OAEP", hash: "SHA-256" };
const place = { tenantId: "demo", vaultId: "demo-vault" };

const atOnce = 50;

/** The running platform app with the demo. */
export interface DemoApp {
  readonly accountsUrl: string;
  readonly recoveryCode: string;
  /** Adds items that are encrypted for the demo user, with the titles "Item 1" and so on. */
  addItems(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the built app with a new database. */
export async function startDemoApp(dataDir: string): Promise<DemoApp> {
  // The API must know the accounts origin before it listens.
  const accountsPort = await freePort();
  const settings = { DATA_DIR: dataDir, DEMO: "on", RATE_LIMITS: "off", LOG_LEVEL: "warn" };
  const app = await startApp({ ...settings, ACCOUNTS_PORT: String(accountsPort) }, { under: onFirstCore });
  const read = (file: string) => readFileSync(join(dataDir, file), "utf8");
  return {
    accountsUrl: `http://localhost:${accountsPort}`,
    recoveryCode: read("demo/recovery-code.txt").trim(),
    async addItems(count) {
      const seal = await createSealing(read("demo/user-key.json"));
      const call = adminOf(app.internalUrl, join(dataDir, "admin.token"));
      const put = async (index: number) => {
        const itemId = `bench-${index}`;
        await call("VaultAdminService/PutItem", {
          ...{ ...place, itemId, baseVersion: 0 },
          ...(await seal(itemId, `Item ${index}`)),
        });
      };
      // The app rejects more calls of one principal at the same time.
      for (let at = 0; at < count; at += atOnce) {
        await Promise.all(Array.from({ length: Math.min(atOnce, count - at) }, (_, index) => put(at + index)));
      }
    },
    async stop() {
      await app.stop();
    },
  };
}

/** Returns a function that encrypts items as the software of the demo user does. */
async function createSealing(userKey: string) {
  const { encryptionKey, titleKey } = JSON.parse(userKey);
  const { kty, alg, n, e } = encryptionKey;
  const publicKey = await crypto.subtle.importKey("jwk", { kty, alg, n, e }, rsa, false, ["wrapKey"]);
  const hashKey = await crypto.subtle.importKey("jwk", titleKey, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (itemId: string, title: string) => {
    const fields = { username: "ada@example.com", password: "correct horse battery staple" };
    return sealItem({
      place: { ...place, itemId, version: 1 },
      kind: "login",
      titleHash: await titleHash(hashKey, title),
      plaintext: new TextEncoder().encode(JSON.stringify({ title, fields })),
      recipients: [{ recipientId: "demo-user", publicKey }],
    });
  };
}
