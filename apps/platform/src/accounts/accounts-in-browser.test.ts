import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  openPersonPage,
  type RunningBrowser,
  startChromium,
  withoutChromium,
} from "@platform-rpc/accounts/testing/browser";
import {
  fillRecoveryCode,
  openItemIn,
  shownRecoveryCode,
  signInWithCode,
  signInWithPasskey,
  signOut,
  signUp,
  storeRecoveryCode,
  titleHashIn,
  unlockWithCode,
} from "@platform-rpc/accounts/testing/browser-steps";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAdminClients } from "../rpc/admin-clients.js";
import { runApp } from "../testing/program.js";
import { temporaryFolder } from "../testing/temporary-folder.js";
import { findInMemory } from "./testing/process-memory.js";
import { recordSecrets, secretsOf, secretsOfCode } from "./testing/secrets-of-page.js";
import { startSite } from "./testing/start-site.js";

describe.skipIf(withoutChromium)("accounts in Chromium", () => {
  const started = new AsyncDisposableStack();
  let browser: RunningBrowser;
  let site: Awaited<ReturnType<typeof startSite>>;
  let origin: string;
  beforeAll(async () => {
    site = started.use(await startSite());
    browser = started.use(await startChromium());
    ({ origin } = site);
  });
  afterAll(() => started.disposeAsync());

  it.each(["at creation", "at sign-in"] as const)(
    "sign-in by passkey with PRF %s and by recovery code unlock the keys of sign-up, and sign-out removes them",
    async (prf) => {
      await using person = await openPersonPage(browser);
      const { page, problems } = person;
      await person.useDevice(prf);
      const code = await signUp(page, origin);
      await page.getByText("Your items can be opened in this browser").waitFor();
      const keys = await titleHashIn(page);
      expect(keys).toMatch(/^\d+(?:,\d+){31}$/);
      await signOut(page);
      expect(await titleHashIn(page)).toBeUndefined();
      await page.goto(`${origin}/account`);
      await signInWithPasskey(page);
      expect(await titleHashIn(page)).toBe(keys);
      await signOut(page);
      await signInWithCode(page, code);
      expect(await titleHashIn(page)).toBe(keys);
      expect(problems).toEqual([]);
    },
  );

  it("a passkey without the PRF extension signs in, and items then need the recovery code", async () => {
    await using person = await openPersonPage(browser);
    const { page, problems } = person;
    await person.useDevice("never");
    const code = await signUp(page, origin);
    const keys = await titleHashIn(page);
    await page.getByText("Signs you in, but cannot unlock items.").waitFor();
    await signOut(page);
    await signInWithPasskey(page);
    expect(await titleHashIn(page)).toBeUndefined();
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use a passkey" }).click();
    await page.getByText("This passkey cannot unlock your items.").waitFor();
    await unlockWithCode(page, code);
    await page.getByText("Your items can be opened in this browser").waitFor();
    expect(await titleHashIn(page)).toBe(keys);
    expect(problems).toEqual([]);
  });

  it("a new passkey and a new recovery code unlock the same keys, and the old code no longer works", async () => {
    await using person = await openPersonPage(browser);
    const { page, problems } = person;
    const oldCode = await signUp(page, origin, "Continue without a passkey");
    const keys = await titleHashIn(page);
    await page.getByLabel("Name of a new passkey").fill("Phone");
    await page.keyboard.press("Enter");
    await unlockWithCode(page, oldCode);
    await page.getByText("Signs you in and unlocks your items.").waitFor();
    await page.getByRole("button", { name: "Create a new recovery code" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use a passkey" }).click();
    const newCode = await storeRecoveryCode(page);
    await signOut(page);
    await fillRecoveryCode(page, oldCode);
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("Signing in failed").waitFor();
    await fillRecoveryCode(
      page,
      newCode.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
    );
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("At least one character of the recovery code is wrong.").waitFor();
    await signInWithCode(page, newCode);
    expect(await titleHashIn(page)).toBe(keys);
    await page.getByRole("button", { name: "Remove the passkey Phone" }).click();
    await page.getByText("This is your last passkey.").waitFor();
    await page.getByRole("button", { name: "Remove Phone" }).click();
    await page.getByText("You have no passkey.").waitFor();
    expect(problems).toEqual([]);
  });

  it("the demo user signs in with the code in its file, and opens the demo's items", async () => {
    const code = await readFile(site.recoveryCodeFile ?? "", "utf8");
    await using person = await openPersonPage(browser);
    const { page, problems } = person;
    await page.goto(`${origin}/sign-in`);
    await signInWithCode(page, code);
    const adminToken = await readFile(site.adminTokenFile, "utf8");
    const { vaults } = createAdminClients({ internalUrl: site.internalUrl, adminToken });
    const { item } = await vaults.getItem({ tenantId: "demo", vaultId: "demo-vault", itemId: "demo-login" });
    const [wrapped] = item?.wrappedKeys ?? [];
    if (item?.encryptedPayload === undefined || wrapped === undefined) throw new Error("the demo's item is missing");
    const { nonce, aad, ciphertext } = item.encryptedPayload;
    const encryptedPayload = { nonce, aad, ciphertext };
    const opened = await openItemIn(page, { encryptedPayload, wrappedKey: wrapped.wrappedKey });
    expect(opened).toContain('"title":"Example mail"');
    expect(problems).toEqual([]);
  });

  it("a person who opens the link of a device signs in on the way, and approves", async () => {
    await using person = await openPersonPage(browser);
    const { page, problems } = person;
    const adminToken = await readFile(site.adminTokenFile, "utf8");
    const { authorizations } = createAdminClients({ internalUrl: site.internalUrl, adminToken });
    const scopes = ["vault.items:delete"];
    const started = await authorizations.startDeviceAuthorization({
      tenantId: "demo",
      oauthClientId: "demo-agent",
      scopes,
    });
    await signUp(page, origin);
    await signOut(page);
    await page.goto(started.verificationUriComplete);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL("**/sign-in?next=*");
    await page.getByRole("button", { name: "Continue with a passkey" }).click();
    await page.waitForURL(started.verificationUriComplete);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("zero knowledge: memory, files and log of the server contain no private key, recovery code, vault key, name of a vault or content of an item", async () => {
    const dataDir = await temporaryFolder();
    const app = await runApp({ DATA_DIR: dataDir });
    const demoFile = join(dataDir, "demo", "recovery-code.txt");
    const [, url = "", codeFile] = /^Open (\S+) and sign in with the code in (.*)\.$/m.exec(app.out()) ?? [];
    expect(codeFile).toBe(demoFile);
    expect(app.out()).not.toContain((await readFile(demoFile, "utf8")).trim());
    await using person = await openPersonPage(browser);
    const { page } = person;
    await recordSecrets(page);
    const sent: (string | null)[] = [];
    page.on("request", (request) => sent.push(request.url(), request.postData()));
    await page.goto(`${url}/sign-up`);
    await page.getByLabel("Your name").fill("Ada Zero Knowledge");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    const code = await shownRecoveryCode(page);
    const secrets = new Map([...(await secretsOf(page)), ...(await secretsOfCode(code))]);
    // Private exponent, two primes, title key, signing key; PRF output, wrapping key; the code.
    expect(secrets.size).toBeGreaterThanOrEqual(5 * 2 + 2 * 2 + 4);
    await storeRecoveryCode(page);
    await page.goto(`${url}/console`);
    await page.getByRole("button", { name: "New vault" }).click();
    await page.getByLabel("Name of the vault").fill("Vault of Zero Knowledge");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name: "Vault of Zero Knowledge" }).waitFor();
    await page.getByRole("link", { name: "Add an item" }).click();
    const written = {
      ...{ Title: "Title of Zero Knowledge", Username: "user-of-zero", Password: "password-of-zero" },
      ...{ Website: "zero.example.com", Tags: "tag-of-zero" },
    };
    for (const [label, text] of Object.entries(written)) {
      await page.getByLabel(label, { exact: true }).fill(text);
      secrets.set(`${label} of an item`, Buffer.from(text));
    }
    const file = Buffer.from("contents of a file of zero knowledge");
    secrets.set("file", file).set("file in base64url", Buffer.from(file.toString("base64url")));
    await page.getByRole("button", { name: "File", exact: true }).click();
    await page.locator("input[type=file]").setInputFiles({ name: "zero.txt", mimeType: "text/plain", buffer: file });
    secrets.set("name of a file", Buffer.from("zero.txt"));
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("article", { name: written.Title }).getByText(written.Username).waitFor();
    for (const [name, text] of await secretsOf(page)) secrets.set(`${name} of the vault`, text);
    secrets.set("name of the vault", Buffer.from("Vault of Zero Knowledge"));
    // The vault key is imported and exported.
    expect(secrets.size).toBeGreaterThanOrEqual(5 * 2 + 2 * 2 + 4 + 4);
    await page.goto(`${url}/account`);
    await signOut(page);
    await signInWithPasskey(page);
    await signOut(page);
    await signInWithCode(page, code);

    // What the server does store is found by the same search.
    const controls = new Map([["display name", Buffer.from("Ada Zero Knowledge")]]);
    expect([...(await findInMemory(app.pid, controls))]).toEqual(["display name"]);
    expect([...(await findInMemory(app.pid, secrets))]).toEqual([]);

    const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const contents = new Map(await Promise.all(files.map(async (file) => [file, await readFile(file)] as const)));
    contents.set("log", Buffer.from(app.err()));
    contents.set("requests", Buffer.from(sent.join("\n")));
    const findIn = (text: Buffer) => [...contents].filter(([, bytes]) => bytes.includes(text)).map(([name]) => name);
    expect(findIn(Buffer.from("Ada Zero Knowledge")).join()).toMatch(/platform\.sqlite.*requests/);
    expect(findIn(Buffer.from("/account/api/sign-in/finish"))).toContain("log");
    expect([...secrets].filter(([, text]) => findIn(text).length > 0).map(([name]) => name)).toEqual([]);
  });
});
