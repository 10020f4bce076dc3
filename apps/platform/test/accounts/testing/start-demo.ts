import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createConsentRequests } from "@platform-rpc/accounts/consents/consent-request";
import { openWriter, type Writer } from "@platform-rpc/accounts/testing/open-writer";
import { freePort } from "@platform-rpc/testbed/network";
import { decodeJwt } from "jose";
import type { Page } from "playwright-core";
import * as z from "zod";
import type { AppOptions } from "../../../src/app/app.js";
import { demoFilesIn } from "../../../src/demo-data/demo-files.js";
import { loadDemoKeys } from "../../../src/demo-data/demo-keys.js";
import { type AdminClients, createAdminClients } from "../../../src/rpc/admin-clients.js";
import { type Answered, call } from "../../../src/testing/call.js";
import { runApp } from "../../../src/testing/program.js";
import { startTestApp } from "../../../src/testing/start-test-app.js";
import { temporaryFolder } from "../../../src/testing/temporary-folder.js";

/** A running app with the demo. */
export interface Demo {
  /** The origin of the pages. */
  readonly origin: string;
  readonly recoveryCode: string;
  readonly vaults: AdminClients["vaults"];
}

type ApprovedBounds = NonNullable<
  Parameters<AdminClients["authorizations"]["approveDeviceAuthorization"]>[0]["bounds"]
>;

/** Software that the person has approved. It never renews its token. */
interface ApprovedAgent {
  /** Deletes an item of the vault of the demo. */
  remove(itemId: string, baseVersion: number): Promise<Answered>;
}

const started = z.object({ device_code: z.string(), user_code: z.string() });
const keysFile = z.object({ hmacKey: z.string() });
const tokens = z.object({ access_token: z.string() });

export type RunningDemo = Awaited<ReturnType<typeof startDemo>>;

/** Starts the app with the demo, in this process. */
export async function startDemo(
  environment: Readonly<Record<string, string>> = {},
  parts: Partial<Pick<AppOptions, "logger">> = {},
) {
  const {
    pagesUrl: origin = "",
    accountsUrl: issuer = "",
    end,
    ...app
  } = await startTestApp(
    // The API must know the accounts origin before it listens.
    { DEMO: "on", ACCOUNTS_PORT: String(await freePort()), ...environment },
    parts,
  );
  const { internalUrl, publicUrl, adminToken, recoveryCodeFile = "" } = app;
  const { vaults, authorizations } = createAdminClients({ internalUrl, adminToken });

  async function post(endpoint: string, fields: Readonly<Record<string, string>>): Promise<unknown> {
    const body = new URLSearchParams({ client_id: "demo-agent", ...fields });
    return (await fetch(`${issuer}/oauth/${endpoint}`, { method: "POST", body })).json();
  }

  /** Lets the person of the demo approve software on a device. Resolves with its token. */
  async function approve(
    { resource, ...client }: Readonly<Record<string, string>>,
    { scopes, bounds }: { readonly scopes: readonly string[]; readonly bounds?: ApprovedBounds },
  ): Promise<string> {
    const asked = { ...client, scope: scopes.join(" ") };
    const { device_code, user_code: userCode } = started.parse(await post("device_authorization", asked));
    const approval = { tenantId: "demo", principalId: "demo-user", userCode, scopes: [...scopes] };
    await authorizations.approveDeviceAuthorization({ ...approval, ...(bounds && { bounds }) });
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    const redeemed = { ...client, grant_type, device_code, ...(resource !== undefined && { resource }) };
    return tokens.parse(await post("token", redeemed)).access_token;
  }

  return {
    ...app,
    origin,
    issuer,
    vaults,
    authorizations,
    recoveryCode: await readFile(recoveryCodeFile, "utf8"),
    /** Writes items as other software of the signed-in person does, or somebody who forges them. */
    async openWriter(page: Page): Promise<Writer> {
      const userKeys = await loadDemoKeys(demoFilesIn(dirname(recoveryCodeFile)).userKey);
      return openWriter(page, {
        userKeys,
        put: async (item) => void (await vaults.putItem({ ...item, wrappedKeys: [...item.wrappedKeys] })),
      });
    },
    /** Returns the URL of the page on which the person of the demo consents to a deletion by its agent. */
    async deletionUrl(item: { readonly vaultId: string; readonly itemId: string }): Promise<string> {
      const keys = keysFile.parse(JSON.parse(await readFile(join(app.dataDir, "keys.json"), "utf8")));
      const keyRing = { hmacKey: Buffer.from(keys.hmacKey, "base64url") };
      const requests = createConsentRequests({ origin, clock: Date, platform: { keyRing } });
      const who = { tenantId: "demo", principalId: "demo-user", oauthClientId: "demo-agent" };
      return requests.link({ kind: "deletion", ...who, ...item, version: 1 });
    },
    /** Lets the person of the demo approve its agent for deletions, on a device. */
    async approveAgent(bounds: ApprovedBounds): Promise<ApprovedAgent> {
      const access_token = await approve({}, { scopes: ["vault.items:delete"], bounds });
      return {
        remove(itemId, baseVersion) {
          const body = { vaultId: place.vaultId, itemId, baseVersion };
          return call(publicUrl, "platform.v1.VaultService/DeleteItem", body, access_token);
        },
      };
    },
    /** Lets the person approve an agent that uses items. Resolves with what a broker of theirs calls before each use. */
    async approveUses(bounds: ApprovedBounds) {
      const scopes = ["vault.items:use"];
      const token = await approve({ client_id: "platform-cli" }, { scopes: ["vault.items:read", ...scopes] });
      const resource = "https://platform.example/broker";
      const tokenId = decodeJwt(await approve({ client_id: "platform-mcp", resource }, { scopes, bounds })).jti;
      return (itemId: string, host: string) => {
        const use = { vaultId: place.vaultId, itemId, baseVersion: 1, tokenId, host, useId: crypto.randomUUID() };
        return call(issuer, "platform.accounts.v1.ItemUseService/UseItem", use, token);
      };
    },
    [Symbol.asyncDispose]: end,
  };
}

/** Starts the built app for one test. A restart keeps its addresses and its data. */
export async function startProgram() {
  const dataDir = await temporaryFolder();
  const [accountsPort, port] = [String(await freePort()), String(await freePort())];
  const environment = { ACCOUNTS_PORT: accountsPort, PORT: port, DATA_DIR: dataDir, DEMO: "on" };
  const start = async () => {
    const app = await runApp(environment);
    const adminToken = await readFile(join(dataDir, "admin.token"), "utf8");
    const { vaults } = createAdminClients({ internalUrl: app.internalUrl, adminToken });
    const recoveryCode = await readFile(join(dataDir, "demo", "recovery-code.txt"), "utf8");
    const demo: Demo = { origin: `http://accounts.localhost:${accountsPort}`, recoveryCode, vaults };
    return { ...demo, stop: app.stop };
  };
  return { start, dataDir };
}

type Vaults = Demo["vaults"];

/** Where the items of the demo are. */
export const place = { tenantId: "demo", vaultId: "demo-vault" };

/** Returns what an item of the demo contains, to write it again, here or elsewhere. */
export async function contentOf(vaults: Vaults, itemId = "demo-note") {
  const { item } = await vaults.getItem({ ...place, itemId });
  if (item?.encryptedPayload === undefined) throw new Error(`${itemId} is missing`);
  const { kind, titleHash, encryptedPayload, wrappedKeys, version } = item;
  return { version, content: { kind, titleHash, encryptedPayload, wrappedKeys } };
}

/** Changes an item without opening it: writes its content again. */
export async function rewrite(vaults: Vaults, itemId: string): Promise<void> {
  const { version: baseVersion, content } = await contentOf(vaults, itemId);
  await vaults.putItem({ ...place, itemId, ...content, baseVersion });
}
