import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createConsentRequests } from "@platform-rpc/accounts/consents/consent-request";
import { openWriter } from "@platform-rpc/accounts/testing/open-writer";
import { adminOf, startApp as startBuiltApp } from "@platform-rpc/testbed/app";
import { freePort } from "@platform-rpc/testbed/network";
import type { Page } from "playwright-core";

/** The running platform app, with its demo data. Disposing of it stops the app. */
export interface DemoApp extends AsyncDisposable {
  /** The origin where people sign in and approve devices. */
  readonly origin: string;
  readonly publicUrl: string;
  readonly recoveryCode: string;
  /** Sends an OAuth request of the demo's agent, and returns a function that reads a field of the response. */
  callOauth(endpoint: string, fields: Readonly<Record<string, string>>): Promise<(name: string) => string>;
  /** Returns the address at which the person of the demo consents that its agent deletes an item. */
  consentUrl(itemId: string): string;
  /** Adds items of the person who is signed in on a page. */
  addItems(page: Page, vaultId: string, count: number): Promise<void>;
}

/** Starts the built app on free ports, with a data directory that the caller removes. */
export async function startApp(dataDir: string): Promise<DemoApp> {
  // The API must know the accounts origin before it listens, to allow the calls of the console.
  const settings = {
    DATA_DIR: dataDir,
    LOG_LEVEL: "warn",
    RATE_LIMITS: "off",
    ACCOUNTS_PORT: String(await freePort()),
  };
  const app = await startBuiltApp(settings, { stderr: "inherit" });
  const { pagesUrl: origin, accountsUrl, publicUrl } = app;
  const read = (...path: readonly string[]) => readFileSync(join(dataDir, ...path), "utf8");
  return {
    origin,
    publicUrl,
    recoveryCode: read("demo", "recovery-code.txt"),
    consentUrl(itemId) {
      const keyRing = { hmacKey: Buffer.from(JSON.parse(read("keys.json")).hmacKey, "base64url") };
      const request = { tenantId: "demo", principalId: "demo-user", oauthClientId: "demo-agent", version: 1 };
      const requests = createConsentRequests({ origin, clock: { now: Date.now }, platform: { keyRing } });
      return requests.link({ ...request, kind: "deletion", vaultId: "demo-vault", itemId });
    },
    async addItems(page, vaultId, count) {
      const call = adminOf(app.internalUrl, join(dataDir, "admin.token"));
      const writer = await openWriter(page, {
        userKeys: new TextEncoder().encode(read("demo", "user-key.json")),
        put: async (item) => void (await call("VaultAdminService/PutItem", { ...item })),
      });
      const fields = { username: "ada@example.com", password: "correct horse battery staple" };
      const add = (number: number) =>
        writer.write({ vaultId, itemId: `item-${number}`, title: `Account ${number}`, fields });
      // The app rejects more calls of one principal at the same time.
      for (let added = 0; added < count; added += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, index) => add(added + index + 1)));
      }
    },
    async callOauth(endpoint, fields) {
      const body = new URLSearchParams({ client_id: "demo-agent", ...fields });
      const response = await fetch(`${accountsUrl}/oauth/${endpoint}`, { method: "POST", body });
      if (!response.ok) throw new Error(`/oauth/${endpoint} failed with ${response.status}: ${await response.text()}`);
      const answer = new Map(Object.entries(await response.json()));
      return (name) => String(answer.get(name));
    },
    async [Symbol.asyncDispose]() {
      await app.stop();
    },
  };
}
