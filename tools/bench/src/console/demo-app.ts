import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sealItem, titleHash } from "@platform-rpc/client/crypto";
import { freePort } from "@platform-rpc/testbed/network";
import { run } from "../app/run-app.ts";
import { nodeOnFirstCore } from "../load/pinning.ts";

const program = fileURLToPath(new URL("../../../../apps/reference/dist/main.js", import.meta.url));
const rsa = { name: "RSA-OAEP", hash: "SHA-256" };
const place = { tenantId: "demo", vaultId: "demo-vault" };

const atOnce = 50;

/** The running reference app with the demo. */
export interface DemoApp {
  readonly accountsUrl: string;
  readonly recoveryCode: string;
  /** Adds items that are encrypted for the demo user, with the titles "Item 1" and so on. */
  addItems(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the built app with a new database. */
export async function startDemoApp(dataDir: string): Promise<DemoApp> {
  const [port, internalPort, accountsPort] = [await freePort(), await freePort(), await freePort()];
  const child = run(nodeOnFirstCore, ["--disable-sigusr1", program], {
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
    ACCOUNTS_PORT: String(accountsPort),
    DATA_DIR: dataDir,
    DEMO: "on",
    RATE_LIMITS: "off",
    LOG_LEVEL: "warn",
  });
  const ended = once(child, "exit");
  const accountsUrl = `http://localhost:${accountsPort}`;
  while (!(await isReady(`${accountsUrl}/sign-in`))) {
    if (child.exitCode !== null) throw new Error(`The reference app ended with exit code ${child.exitCode}.`);
    await setTimeout(50);
  }
  const read = (file: string) => readFileSync(join(dataDir, file), "utf8");
  return {
    accountsUrl,
    recoveryCode: read("demo/recovery-code.txt").trim(),
    async addItems(count) {
      const seal = await createSealing(read("demo/user-key.json"));
      const url = `http://localhost:${internalPort}/platform.internal.v1.VaultAdminService/PutItem`;
      const headers = {
        Authorization: `Bearer ${read("admin.token").trim()}`,
        "Content-Type": "application/json",
        "Connect-Protocol-Version": "1",
      };
      const put = async (index: number) => {
        const itemId = `bench-${index}`;
        const body = JSON.stringify({ ...place, itemId, baseVersion: 0, ...(await seal(itemId, `Item ${index}`)) });
        const response = await fetch(url, { method: "POST", headers, body });
        if (!response.ok) throw new Error(`PutItem failed with ${response.status}: ${await response.text()}`);
      };
      // The app rejects more calls of one principal at the same time.
      for (let at = 0; at < count; at += atOnce) {
        await Promise.all(Array.from({ length: Math.min(atOnce, count - at) }, (_, index) => put(at + index)));
      }
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
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
