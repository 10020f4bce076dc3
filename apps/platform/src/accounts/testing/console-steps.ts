import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openPersonPage, type PersonPage, startChromium } from "@platform-rpc/accounts/testing/browser";
import { signInWithCode } from "@platform-rpc/accounts/testing/browser-steps";
import { openWriter, type Writer } from "@platform-rpc/accounts/testing/open-writer";
import { freePort } from "@platform-rpc/testbed/network";
import type { Locator, Page } from "playwright-core";
import * as z from "zod";
import { demoFilesIn } from "../../demo-data/demo-files.js";
import { loadDemoKeys } from "../../demo-data/demo-keys.js";
import { type AdminClients, createAdminClients } from "../../rpc/admin-clients.js";
import { type Answered, call } from "../../testing/call.js";
import { runApp } from "../../testing/program.js";
import { temporaryFolder } from "../../testing/temporary-folder.js";
import { startSite } from "./start-site.js";

/** A running app with the demo. */
export interface Demo {
  readonly origin: string;
  readonly recoveryCode: string;
  readonly vaults: AdminClients["vaults"];
}

/** The API must know the accounts origin before it listens. */
async function accountsPort() {
  return { ACCOUNTS_PORT: String(await freePort()) };
}

/** A running app with the demo, and Chromium. */
export interface DemoInBrowser extends Demo, AsyncDisposable {
  readonly publicUrl: string;
  /** Writes items as other software of the signed-in person does, or somebody who forges them. */
  openWriter(page: Page): Promise<Writer>;
  /** Opens a page with an empty profile. */
  openPage(options?: { readonly width?: number }): Promise<PersonPage>;
  /** Lets the person of the demo approve its agent for deletions, on a device. */
  approveAgent(bounds: ApprovedBounds): Promise<ApprovedAgent>;
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
const tokens = z.object({ access_token: z.string() });

/** Starts the app, in this process, and Chromium. */
export async function startDemo(environment: Readonly<Record<string, string>> = {}): Promise<DemoInBrowser> {
  await using starting = new AsyncDisposableStack();
  const site = starting.use(await startSite({ ...(await accountsPort()), ...environment }));
  const browser = starting.use(await startChromium());
  const { internalUrl, adminTokenFile, recoveryCodeFile = "" } = site;
  const admin = { internalUrl, adminToken: await readFile(adminTokenFile, "utf8") };
  const { vaults, authorizations } = createAdminClients(admin);
  const recoveryCode = await readFile(recoveryCodeFile, "utf8");
  const running = starting.move();

  async function post(endpoint: string, fields: Readonly<Record<string, string>>): Promise<unknown> {
    const body = new URLSearchParams({ client_id: "demo-agent", ...fields });
    return (await fetch(`${site.origin}/oauth/${endpoint}`, { method: "POST", body })).json();
  }

  return {
    origin: site.origin,
    publicUrl: site.publicUrl,
    async openWriter(page) {
      const { serialized: userKeys } = await loadDemoKeys(demoFilesIn(dirname(recoveryCodeFile)).userKey);
      return openWriter(page, {
        userKeys,
        put: async (item) => void (await vaults.putItem({ ...item, wrappedKeys: [...item.wrappedKeys] })),
      });
    },
    recoveryCode,
    vaults,
    openPage: (options) => openPersonPage(browser, options),
    async approveAgent(bounds) {
      const { device_code, user_code: userCode } = started.parse(await post("device_authorization", {}));
      const approval = { tenantId: "demo", principalId: "demo-user", userCode, scopes: ["vault.items:delete"], bounds };
      await authorizations.approveDeviceAuthorization(approval);
      const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
      const { access_token } = tokens.parse(await post("token", { grant_type, device_code }));
      return {
        remove(itemId, baseVersion) {
          const body = { vaultId: place.vaultId, itemId, baseVersion };
          return call(site.publicUrl, "platform.v1.VaultService/DeleteItem", body, access_token);
        },
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Starts the built app for one test. A restart keeps its addresses and its data. */
export async function startProgram() {
  const dataDir = await temporaryFolder();
  const environment = { ...(await accountsPort()), PORT: String(await freePort()), DATA_DIR: dataDir, DEMO: "on" };
  const start = async () => {
    const app = await runApp(environment);
    const adminToken = await readFile(join(dataDir, "admin.token"), "utf8");
    const { vaults } = createAdminClients({ internalUrl: app.internalUrl, adminToken });
    const recoveryCode = await readFile(join(dataDir, "demo", "recovery-code.txt"), "utf8");
    const demo: Demo = { origin: `http://localhost:${environment.ACCOUNTS_PORT}`, recoveryCode, vaults };
    return { ...demo, stop: app.stop };
  };
  return { start };
}

type Vaults = Demo["vaults"];

/** Where the items of the demo are. */
export const place = { tenantId: "demo", vaultId: "demo-vault" };

/** Writes copies of an item of the demo that cannot be decrypted: their titles name their ids. */
export async function addItems(vaults: Vaults, itemIds: readonly string[]): Promise<void> {
  const { item } = await vaults.getItem({ ...place, itemId: "demo-note" });
  if (item?.encryptedPayload === undefined) throw new Error("the demo's note is missing");
  const { kind, titleHash, encryptedPayload, wrappedKeys } = item;
  const content = { baseVersion: 0, kind, titleHash, encryptedPayload, wrappedKeys };
  for (const itemId of itemIds) await vaults.putItem({ ...place, itemId, ...content });
}

/** Changes an item without opening it: writes its content again. */
export async function rewrite(vaults: Vaults, itemId: string): Promise<void> {
  const { item } = await vaults.getItem({ ...place, itemId });
  if (item?.encryptedPayload === undefined) throw new Error(`${itemId} is missing`);
  const { kind, titleHash, encryptedPayload, wrappedKeys, version: baseVersion } = item;
  await vaults.putItem({ ...place, itemId, baseVersion, kind, titleHash, encryptedPayload, wrappedKeys });
}

/** Signs in, and opens the page of all items. */
export async function openConsole(page: Page, { origin, recoveryCode }: Demo): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await signInWithCode(page, recoveryCode);
  await page.goto(`${origin}/console`);
}

/** Signs in, and opens the vault of the demo. */
export async function openVault(page: Page, demo: Demo): Promise<void> {
  await openConsole(page, demo);
  await page.getByRole("navigation").getByRole("link", { name: "demo-vault" }).click();
  await page.getByRole("heading", { name: "demo-vault", level: 1 }).waitFor();
  await itemLink(page, "Example mail").waitFor();
}

/** The link of an item in the list. */
export function itemLink(page: Page, title: string): Locator {
  return page.getByRole("list", { name: "Items" }).getByRole("link", { name: title, exact: true });
}

/** The item that is open. */
export function openedItem(page: Page, title: string): Locator {
  return page.getByRole("article", { name: title });
}

/** The badge that says how current the page is. */
export function badge(page: Page, words: string): Locator {
  return page.getByRole("banner").getByRole("status").getByText(words, { exact: true });
}
