import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openWriter } from "@platform-rpc/accounts/testing/open-writer";
import { adminOf, startApp } from "@platform-rpc/testbed/app";
import { freePort } from "@platform-rpc/testbed/network";
import type { Page } from "playwright-core";
import { onFirstCore } from "../load/pinning.ts";

const atOnce = 50;

/** The running platform app with the demo. */
export interface DemoApp {
  readonly accountsUrl: string;
  readonly recoveryCode: string;
  /**
   * Adds items of the person who is signed in on a page, with the titles "Item 1" and so on. Their keys are wrapped for the vault, and they
   * are signed; or their keys are wrapped for the person with RSA, as in a vault without a key.
   */
  addItems(page: Page, vaultId: string, recipient: "vault" | "person", count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the built app with a new database. @param rateLimits whether it limits rates, as it does by default */
export async function startDemoApp(dataDir: string, rateLimits: "on" | "off" = "off"): Promise<DemoApp> {
  // The API must know the accounts origin before it listens.
  const accountsPort = await freePort();
  const settings = { DATA_DIR: dataDir, DEMO: "on", RATE_LIMITS: rateLimits, LOG_LEVEL: "warn" };
  const app = await startApp({ ...settings, ACCOUNTS_PORT: String(accountsPort) }, { under: onFirstCore });
  const read = (file: string) => readFileSync(join(dataDir, file), "utf8");
  return {
    accountsUrl: `http://localhost:${accountsPort}`,
    recoveryCode: read("demo/recovery-code.txt").trim(),
    async addItems(page, vaultId, recipient, count) {
      const call = adminOf(app.internalUrl, join(dataDir, "admin.token"));
      const writer = await openWriter(page, {
        userKeys: new TextEncoder().encode(read("demo/user-key.json")),
        put: async (item) => void (await call("VaultAdminService/PutItem", { ...item })),
      });
      const signer = recipient === "vault" ? "person" : "nobody";
      const fields = { username: "ada@example.com", password: "correct horse battery staple" };
      const write = (index: number) =>
        writer.write({ vaultId, itemId: `bench-${index}`, title: `Item ${index}`, fields }, { signer, recipient });
      // The app rejects more calls of one principal at the same time.
      for (let at = 0; at < count; at += atOnce) {
        await Promise.all(Array.from({ length: Math.min(atOnce, count - at) }, (_, index) => write(at + index)));
      }
    },
    async stop() {
      await app.stop();
    },
  };
}
