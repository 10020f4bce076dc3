import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { openPersonPage, startChromium, withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { signInWithCode, waitForTitle } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { openVaultKey, sealItem, titleHash } from "@platform-rpc/client/crypto";
import { freePort, startProxy } from "@platform-rpc/testbed/network";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { demoUser } from "../../demo-data/demo-files.js";
import { createLog } from "../../process/log.js";
import { createAdminClients } from "../../rpc/admin-clients.js";
import { newTemporaryFolder } from "../../testing/temporary-folder.js";
import { itemLink } from "../testing/console-steps.js";
import { startSite } from "../testing/start-site.js";

const program = fileURLToPath(new URL("../../../../../packages/cli/dist/main.js", import.meta.url));

/** What the program has stored. */
const unlocked = z.object({
  tenantId: z.string(),
  unlockId: z.string(),
  wrappingKey: z.string(),
  vaults: z.array(z.object({ vaultId: z.string(), keyId: z.string(), epoch: z.number(), wrappedKey: z.string() })),
  writerId: z.string(),
  signingKey: z.object({ kty: z.string(), crv: z.string(), d: z.string(), x: z.string() }),
});

/** What the program calls this machine. */
const deviceName = hostname()
  .replaceAll(/[^A-Za-z0-9._-]/g, "-")
  .slice(0, 60);

/** The vault that the person creates, besides their personal one. */
const vaultName = "Orchard 5240";
const isCreated = ({ vaultId }: { readonly vaultId: string }) => vaultId !== demoUser;

const bytes = (encoded: string) => Uint8Array.from(Buffer.from(encoded, "base64url"));

describe.skipIf(withoutChromium)("platform unlock, with the page of the vault in Chromium", () => {
  const started = new AsyncDisposableStack();
  let site: Awaited<ReturnType<typeof startSite>>;
  let page: Page;
  let problems: readonly string[];
  let home: string;
  /** What the server gets, and what it logs. */
  const requests: Buffer[] = [];
  const logged: string[] = [];

  beforeAll(async () => {
    const [PORT, ACCOUNTS_PORT] = [await freePort(), await freePort()];
    const api = started.use(await startProxy(PORT, (bytes) => requests.push(bytes)));
    const accounts = started.use(await startProxy(ACCOUNTS_PORT, (bytes) => requests.push(bytes)));
    const ports = { PORT: String(PORT), ACCOUNTS_PORT: String(ACCOUNTS_PORT) };
    const urls = {
      PUBLIC_URL: `http://127.0.0.1:${api.port}`,
      ACCOUNTS_URL: `http://localhost:${accounts.port}`,
    };
    const logger = createLog("trace", {
      write: (line) => void logged.push(line),
      state: () => ({ droppedLines: 0, error: undefined }),
      onRecovered: () => {},
      flushAtExit: () => {},
    });
    site = started.use(await startSite({ ...ports, ...urls, DEMO: "on" }, { logger }));
    const folder = await newTemporaryFolder();
    started.defer(folder.remove);
    home = folder.path;
    const browser = started.use(await startChromium());
    ({ page, problems } = started.use(await openPersonPage(browser)));
    await page.goto(`${site.origin}/sign-in`);
    await signInWithCode(page, await readFile(site.recoveryCodeFile ?? "", "utf8"));
    const scopes = ["vault.items:read", "vault.items:write"];
    const login = await run("login", "--url", urls.PUBLIC_URL, "--scope", ...scopes);
    await page.goto(await login.openedPage());
    await waitForTitle(page, "Platform CLI wants to use your vault");
    await page.getByRole("button", { name: "Approve" }).click();
    await login.ended;
    await page.goto(`${site.origin}/console`);
    await page.getByRole("button", { name: "New vault" }).click();
    const dialog = page.getByRole("dialog", { name: "New vault" });
    await dialog.getByLabel("Name of the vault").fill(vaultName);
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name: vaultName, exact: true }).waitFor();
  });
  afterAll(() => started.disposeAsync());

  /** Runs the program, whose browser writes the page down that it opens. */
  async function run(...words: string[]) {
    const [opener, opened] = [join(home, "browser"), join(home, "opened.txt")];
    await rm(opened, { force: true });
    await writeFile(opener, `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`, { mode: 0o700 });
    const child = spawn(process.execPath, [program, ...words], { env: { HOME: home, BROWSER: opener } });
    let shown = "";
    child.stderr.setEncoding("utf8").on("data", (part) => {
      shown += part;
    });
    const out = text(child.stdout);
    const ended = once(child, "close").then(async () => ({ code: child.exitCode, shown: shown + (await out) }));
    const openedPage = async () => {
      await vi.waitFor(async () => expect(await readFile(opened, "utf8")).toMatch(/^http.*\w$/), 10_000);
      return readFile(opened, "utf8");
    };
    const code = async () => {
      await expect.poll(() => shown).toMatch(/\n {2}[0-9A-Z-]{19}\n/);
      return /\n {2}([0-9A-Z-]{19})\n/.exec(shown)?.[1] ?? "";
    };
    return { openedPage, code, ended, end: () => child.kill() };
  }

  const file = (name: string) => join(home, ".config", "platform", name);
  const lineOf = (title: string) => page.locator("li.item").filter({ hasText: title }).locator(".line");
  const type = async (code: string) => {
    await page.getByLabel("Code in your terminal").fill(code);
    await page.getByRole("button", { name: "Unlock for Platform CLI" }).click();
  };

  it("hands over no keys if the code is another one, or if somebody has exchanged the keys of the program", async () => {
    const unlocking = await run("unlock");
    const address = await unlocking.openedPage();
    await page.goto(address);
    await page.getByText(`by a device that calls itself “${deviceName}”, on the network of this browser.`).waitFor();
    await type("1234");
    await page.getByText("Type all 16 characters").waitFor();
    await type("0000-0000-0000-0000");
    await page.getByText("nothing was handed over").waitFor();
    expect(await findViolations(page)).toEqual([]);
    const other = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, false, ["deriveBits"]);
    const point = Buffer.from(await crypto.subtle.exportKey("raw", other.publicKey)).toString("base64url");
    // A server in the middle, which knows the private part of the key that it names.
    for (const exchanged of [{ encryptionKey: point }, { signingKey: "A".repeat(43) }]) {
      await page.route("**/account/api/unlocks/*", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), ...exchanged } });
      });
      await page.goto(address);
      await type(await unlocking.code());
      await page.getByText("somebody may have exchanged the keys").waitFor();
      await page.unroute("**/account/api/unlocks/*");
    }
    unlocking.end();
    await unlocking.ended;
    expect(await readdir(dirname(file("x")))).not.toContain("unlocked.json");
  });

  it("hands over the keys, with which the program writes an item that the vault shows as verified", async () => {
    const unlocking = await run("unlock", "--for", "1h");
    await page.goto(await unlocking.openedPage());
    const code = await unlocking.code();
    await type(code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l"));
    await page.getByRole("heading", { name: "Platform CLI has the keys" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    const { code: exit, shown } = await unlocking.ended;
    expect([exit, shown]).toEqual([0, expect.stringContaining("2 vaults are unlocked until")]);
    expect(shown).toContain("Not unlocked, because they have no key that you can open: demo-vault");
    const fingerprint = /SHA256:\S{43}/.exec(shown)?.[0] ?? "";
    await page.getByText(fingerprint, { exact: true }).waitFor();
    expect(((await stat(file("unlocked.json"))).mode & 0o777).toString(8)).toBe("600");
    expect(((await stat(file("signing-key.json"))).mode & 0o777).toString(8)).toBe("600");

    const stored = unlocked.parse(JSON.parse(await readFile(file("unlocked.json"), "utf8")));
    const vault = stored.vaults.find(isCreated);
    if (vault === undefined) return expect.unreachable();
    const { vaultId, keyId, wrappedKey } = vault;
    const wrappingKey = await crypto.subtle.importKey("raw", bytes(stored.wrappingKey), "AES-GCM", false, ["decrypt"]);
    const vaultKey = await openVaultKey(wrappedKey, { ...vault, wrappingKey, accountId: stored.unlockId });
    const privateKey = await crypto.subtle.importKey("jwk", stored.signingKey, "Ed25519", false, ["sign"]);
    const adminToken = await readFile(site.adminTokenFile, "utf8");
    const { vaults } = createAdminClients({ internalUrl: site.internalUrl, adminToken });
    const { tenantId } = stored;
    const write = async (itemId: string, title: string, writerId: string) => {
      const sealed = await sealItem({
        place: { tenantId, vaultId, itemId, version: 1 },
        kind: "login",
        titleHash: await titleHash(vaultKey, title),
        plaintext: new TextEncoder().encode(JSON.stringify({ version: 1, title, fields: [] })),
        recipients: [{ recipientId: keyId, vaultKey }],
        writer: { writerId, privateKey },
      });
      await vaults.putItem({
        tenantId,
        vaultId,
        itemId,
        baseVersion: 0,
        ...sealed,
        wrappedKeys: [...sealed.wrappedKeys],
      });
    };
    await write("by-program", "Written by the program", stored.writerId);
    await write("by-stranger", "Written with another id", "program:other");
    await page.goto(`${site.origin}/console/vaults/${vaultId}`);
    await itemLink(page, "Written by the program").waitFor();
    await expect.poll(() => lineOf("Written by the program").textContent()).toBe("Login");
    expect(await lineOf("Written with another id").textContent()).toBe("Not verified");

    expect(problems).toEqual([]);
  });

  it("neither requests nor the database nor the log contain a key, or what an item or a vault is called and contains", async () => {
    const [title, password] = ["Zebra crossing 7319", "correct horse battery"];
    const create = ["items", "create", "--vault", vaultName, "--title", title, `password=${password}`];
    expect(await (await run(...create)).ended).toMatchObject({ code: 0 });
    await page.goto(`${site.origin}/console`);
    await itemLink(page, title).waitFor();
    await expect.poll(() => lineOf(title).textContent()).toBe("Login");

    const stored = unlocked.parse(JSON.parse(await readFile(file("unlocked.json"), "utf8")));
    const vault = stored.vaults.find(isCreated);
    if (vault === undefined) return expect.unreachable();
    const { vaultId, keyId, epoch, wrappedKey } = vault;
    const wrappingKey = await crypto.subtle.importKey("raw", bytes(stored.wrappingKey), "AES-GCM", false, ["decrypt"]);
    const iv = bytes(wrappedKey).slice(0, 12);
    const place = JSON.stringify(["platform.v1 vault key", 1, stored.unlockId, vaultId, keyId, epoch]);
    const additionalData = new TextEncoder().encode(place);
    const sealed = bytes(wrappedKey).slice(12);
    const opened = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, wrappingKey, sealed);
    const keys = [Buffer.from(opened), Buffer.from(bytes(stored.wrappingKey)), Buffer.from(bytes(stored.signingKey.d))];
    const secrets = [...keys, ...[title, password, vaultName].map((text) => Buffer.from(text))].flatMap((secret) => [
      secret,
      ...(["base64url", "base64", "hex"] as const).map((encoding) => Buffer.from(secret.toString(encoding))),
    ]);
    const dataDir = dirname(site.adminTokenFile);
    const files = (await readdir(dataDir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const contents = files.map(({ parentPath, name }) => readFile(join(parentPath, name)));
    const places = {
      requests: Buffer.concat(requests),
      database: Buffer.concat(await Promise.all(contents)),
      log: Buffer.from(logged.join("")),
    };
    for (const [where, content] of Object.entries(places)) {
      expect([where, secrets.filter((secret) => content.includes(secret))]).toEqual([where, []]);
    }
    // All three were recorded.
    expect(places.requests.includes(stored.unlockId)).toBe(true);
    expect(places.database.includes(stored.unlockId)).toBe(true);
    expect(places.log.toString()).toContain("ProgramUnlockService/RequestUnlock");
  });

  it("after its certificate is removed, what the program writes is not verified, and its next unlock makes another key", async () => {
    const { signingKey } = unlocked.parse(JSON.parse(await readFile(file("unlocked.json"), "utf8")));
    await page.goto(`${site.origin}/console/agents`);
    const before = await (await page.request.get(`${site.origin}/account/api/certificates`)).json();
    const card = page.getByRole("listitem").filter({ hasText: `Platform CLI on “${deviceName}”` });
    await card.getByText("Last unlocked").waitFor();
    await card.getByText("Details").click();
    await card.getByText(signingKey.x).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await card.getByRole("button", { name: "Remove the certificate" }).click();
    const dialog = page.getByRole("dialog", { name: "Remove the certificate of Platform CLI" });
    await dialog.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText(`The certificate of Platform CLI on “${deviceName}” is removed.`).waitFor();
    await expect.poll(() => card.count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);

    const title = "Written after the removal";
    expect(
      await (await run("items", "create", "--vault", vaultName, "--title", title, "username=eve")).ended,
    ).toMatchObject({ code: 0 });
    await page.goto(`${site.origin}/console`);
    await itemLink(page, title).waitFor();
    await expect.poll(() => lineOf(title).textContent()).toBe("Not verified");
    await expect.poll(() => lineOf("Zebra crossing 7319").textContent()).toBe("Not verified");

    // This browser remembers it: a server that lists the certificate again is noticed.
    const listed = page.waitForResponse("**/account/api/certificates");
    await page.route("**/account/api/certificates", (route) => route.fulfill({ json: before }));
    await page.reload();
    expect(await (await listed).json()).toMatchObject({ certificates: [{ signingKey: signingKey.x }], removed: [] });
    await itemLink(page, title).waitFor();
    await expect.poll(() => lineOf(title).textContent()).toBe("Not verified");
    await page.unroute("**/account/api/certificates");
    const unlocking = await run("unlock");
    await page.goto(await unlocking.openedPage());
    await type(await unlocking.code());
    expect(await unlocking.ended).toMatchObject({ code: 0 });
    const renewed = unlocked.parse(JSON.parse(await readFile(file("unlocked.json"), "utf8")));
    expect(renewed.signingKey.x).not.toBe(signingKey.x);
    expect(problems).toEqual([]);
  });

  it("a second unlock knows the person, and platform lock removes the keys; logout also the signing key", async () => {
    const known = JSON.parse(await readFile(file("known-people.json"), "utf8"));
    const unlocking = await run("unlock");
    await page.goto(await unlocking.openedPage());
    await type(await unlocking.code());
    const { shown } = await unlocking.ended;
    expect(shown).not.toContain("SHA256:");
    expect((await (await run("lock")).ended).shown).toContain("Locked: the keys of your vaults are removed");
    expect((await (await run("lock")).ended).shown).toContain("Locked already");

    // Somebody answers with another key.
    await writeFile(
      file("known-people.json"),
      JSON.stringify(Object.fromEntries(Object.keys(known).map((name) => [name, "A".repeat(43)]))),
      { mode: 0o600 },
    );
    const deceived = await run("unlock");
    await page.goto(await deceived.openedPage());
    await type(await deceived.code());
    const refused = await deceived.ended;
    expect([refused.code, refused.shown]).toEqual([
      1,
      expect.stringContaining("The signing key of your account has changed"),
    ]);
    expect(await readdir(dirname(file("x")))).not.toContain("unlocked.json");
    await (await run("logout")).ended;
    expect(await readdir(dirname(file("x")))).not.toContain("signing-key.json");
  });
});
