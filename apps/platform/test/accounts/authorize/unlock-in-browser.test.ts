import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { openPersonPage, type PersonPage } from "@platform-rpc/accounts/testing/browser";
import { waitForTitle } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { freePort, startProxy } from "@platform-rpc/testbed/network";
import type { Page } from "playwright-core";
import { afterAll, afterEach, describe, expect } from "vitest";
import * as z from "zod";
import { demoUser, demoVault } from "../../../src/demo-data/demo-files.js";
import { createLog } from "../../../src/process/log.js";
import { newCommandLine } from "../../../src/testing/command-line.js";
import { createVault, itemLine, itemLink, openConsole } from "../testing/console-steps.js";
import { it, withApp } from "../testing/in-browser.js";
import { type RunningDemo, startDemo } from "../testing/start-demo.js";

/** What the program has stored. */
const unlocked = z.object({
  accountId: z.string(),
  tenantId: z.string(),
  unlockId: z.string(),
  wrappingKey: z.string(),
  vaults: z.array(z.object({ vaultId: z.string(), keyId: z.string(), epoch: z.number(), wrappedKey: z.string() })),
  writerId: z.string(),
  signingKey: z.object({ kty: z.string(), crv: z.string(), d: z.string(), x: z.string() }),
  writers: z.array(z.object({ writerId: z.string(), publicKey: z.string() })),
});

/** What it remembers of people, by issuer, tenant and account. */
const confirmed = z.record(z.string(), z.object({ personKey: z.string(), removed: z.array(z.string()) }));

/** What the program calls this machine. */
const deviceName = hostname()
  .replaceAll(/[^A-Za-z0-9._-]/g, "-")
  .slice(0, 60);

/** The vault that the person creates, besides their personal one and the demo's. */
const vaultName = "Orchard 5240";
const isCreated = ({ vaultId }: { readonly vaultId: string }) => ![demoUser, demoVault].includes(vaultId);

const bytes = (encoded: string) => Uint8Array.from(Buffer.from(encoded, "base64url"));

describe("platform unlock, with the page of the vault in Chromium", () => {
  const started = new AsyncDisposableStack();
  let demo: RunningDemo;
  let commandLine: Awaited<ReturnType<typeof newCommandLine>>;
  let page: Page;
  let person: PersonPage;
  /** What the server gets, and what it logs. */
  const requests: Buffer[] = [];
  const logged: string[] = [];

  withApp.beforeAll(async ({ chromium }) => {
    const [PORT, ACCOUNTS_PORT] = [await freePort(), await freePort()];
    const api = started.use(await startProxy(PORT, (bytes) => requests.push(bytes)));
    const accounts = started.use(await startProxy(ACCOUNTS_PORT, (bytes) => requests.push(bytes)));
    const ports = { PORT: String(PORT), ACCOUNTS_PORT: String(ACCOUNTS_PORT) };
    const urls = {
      PUBLIC_URL: `http://127.0.0.1:${api.port}`,
      ACCOUNTS_URL: `http://accounts.localhost:${accounts.port}`,
    };
    const logger = createLog("trace", {
      write: (line) => void logged.push(line),
      state: () => ({ droppedLines: 0, error: undefined }),
      onRecovered: () => {},
      flushAtExit: () => {},
    });
    demo = started.use(await startDemo({ ...ports, ...urls }, { logger }));
    commandLine = await newCommandLine(demo);
    started.defer(commandLine.remove);
    const keyless = { tenantId: "demo", vaultId: "archive" };
    await demo.vaults.createVault(keyless);
    await demo.vaults.setVaultMember({ ...keyless, principalId: demoUser, role: "owner" });
    person = await openPersonPage(chromium);
    started.defer(person.close);
    ({ page } = person);
    await openConsole(page, demo);
    await createVault(page, vaultName);
    const scopes = ["vault.items:read", "vault.items:write"];
    const login = await run("login", "--url", urls.PUBLIC_URL, "--scope", ...scopes);
    await page.goto(await login.openedPage());
    await waitForTitle(page, "Platform CLI wants to use your vault");
    await page.getByRole("button", { name: "Approve" }).click();
    await login.ended;
  });
  afterAll(() => started.disposeAsync());
  afterEach(() => expect(person.takeProblems()).toEqual([]));

  const run = (...words: string[]) => commandLine.startWithBrowser(...words);
  /** Runs a command to its end. */
  const result = async (...words: string[]) => shownBy(await run(...words));
  const shownBy = async ({ ended }: Pick<Awaited<ReturnType<typeof run>>, "ended">) => {
    const { code, out, err } = await ended;
    return { code, shown: out + err };
  };
  /** Returns the code that the program shows. */
  const codeOf = ({ printed }: Pick<Awaited<ReturnType<typeof run>>, "printed">) =>
    printed(/\n {2}([0-9A-Z-]{19})\r?\n/);
  const file = (name: string) => join(commandLine.home, ".config", "platform", name);
  const type = async (code: string) => {
    await page.getByLabel("Code in your terminal").fill(code);
    await page.getByRole("button", { name: "Unlock for Platform CLI" }).click();
  };

  it("hands over no keys if the code is another one, or if somebody has exchanged the keys of the program", async () => {
    const unlocking = await run("unlock");
    const address = await unlocking.openedPage();
    await page.goto(address);
    await page.getByText(`by a device that calls itself “${deviceName}”, on the network of this browser.`).waitFor();
    await page.getByText("Continue only if you have just run platform unlock or platform broker there.").waitFor();
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
      await type(await codeOf(unlocking));
      await page.getByText("somebody may have exchanged the keys").waitFor();
      await page.unroute("**/account/api/unlocks/*");
    }
    unlocking.child.kill();
    await unlocking.ended;
    expect(await readdir(dirname(file("x")))).not.toContain("unlocked.json");
  });

  it("hands over the keys, and the program keeps them in files that nobody else can read", async () => {
    const unlocking = commandLine.startInTerminal(["unlock", "--for", "1h"]);
    await page.goto(await unlocking.printed(/(http\S+\/console\/unlock\/\S+)/));
    const code = await codeOf(unlocking);
    await type(code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l"));
    await unlocking.printed(/(Type the code that the page shows now: )/);
    unlocking.child.stdin?.write(`${await page.locator(".value code").textContent()}\r`);
    expect(await findViolations(page)).toEqual([]);
    const { code: exit, shown } = await shownBy(unlocking);
    expect([exit, shown]).toEqual([0, expect.stringContaining("3 vaults are unlocked until")]);
    expect(shown).toContain("Not unlocked, because they have no key that you can open: archive");
    expect(((await stat(file("unlocked.json"))).mode & 0o777).toString(8)).toBe("600");
    expect(((await stat(file("signing-key.json"))).mode & 0o777).toString(8)).toBe("600");
  });

  it("an item that the program writes is verified, and neither requests nor the database nor the log contain a key, or what an item or a vault is called and contains", async () => {
    const [title, password] = ["Zebra crossing 7319", "correct horse battery"];
    const create = ["items", "create", "--vault", vaultName, "--title", title, `password=${password}`];
    expect(await result(...create)).toMatchObject({ code: 0 });
    const stored = unlocked.parse(JSON.parse(await readFile(file("unlocked.json"), "utf8")));
    // Also if the server says that the person has removed the program: they have not signed that.
    await page.route("**/account/api/certificates", async (route) => {
      const response = await route.fetch();
      const removed = [{ signingKey: stored.signingKey.x, signature: "A".repeat(86) }];
      await route.fulfill({ response, json: { ...(await response.json()), removed } });
    });
    await page.goto(`${demo.origin}/console`);
    await itemLink(page, title).waitFor();
    await expect.poll(() => itemLine(page, title).textContent()).toMatch(/^Login/);
    await page.unroute("**/account/api/certificates");

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
    const dataDir = dirname(demo.adminTokenFile);
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
    await page.goto(`${demo.origin}/console/agents`);
    const before = await (await page.request.get(`${demo.origin}/account/api/certificates`)).json();
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
    expect(await result("items", "create", "--vault", vaultName, "--title", title, "username=eve")).toMatchObject({
      code: 0,
    });
    await page.goto(`${demo.origin}/console`);
    await itemLink(page, title).waitFor();
    await expect.poll(() => itemLine(page, title).textContent()).toMatch(/^Not verified/);
    await expect.poll(() => itemLine(page, "Zebra crossing 7319").textContent()).toMatch(/^Not verified/);

    // This browser remembers it: a server that lists the certificate again is noticed.
    const listed = page.waitForResponse("**/account/api/certificates");
    await page.route("**/account/api/certificates", (route) => route.fulfill({ json: before }));
    await page.reload();
    expect(await (await listed).json()).toMatchObject({ certificates: [{ signingKey: signingKey.x }], removed: [] });
    await itemLink(page, title).waitFor();
    await expect.poll(() => itemLine(page, title).textContent()).toMatch(/^Not verified/);
    await page.goto(`${demo.origin}/console/agents`);
    const listedAgain = page.getByRole("listitem").filter({ hasText: "The server lists a program that you do not" });
    await listedAgain.getByText(`It is called Platform CLI on “${deviceName}”.`).waitFor();
    expect(await listedAgain.getByRole("button").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);

    // So does the program, to which the browser hands the removal.
    const unlocking = await run("unlock");
    await page.goto(await unlocking.openedPage());
    await type(await codeOf(unlocking));
    expect(await unlocking.ended).toMatchObject({ code: 0 });
    await page.unroute("**/account/api/certificates");
    const people = confirmed.parse(JSON.parse(await readFile(file("confirmed-people.json"), "utf8")));
    expect(Object.values(people)).toMatchObject([{ removed: [signingKey.x] }]);
    const renewed = unlocked.parse(JSON.parse(await readFile(file("unlocked.json"), "utf8")));
    expect(renewed.signingKey.x).not.toBe(signingKey.x);
    expect(renewed.writers.map(({ writerId }) => writerId)).toEqual([renewed.accountId, renewed.writerId]);
  });

  it("a second unlock knows the person, and platform lock removes the keys; logout also the signing key", async () => {
    const known = confirmed.parse(JSON.parse(await readFile(file("confirmed-people.json"), "utf8")));
    const unlocking = await run("unlock");
    await page.goto(await unlocking.openedPage());
    await type(await codeOf(unlocking));
    const { shown } = await shownBy(unlocking);
    expect(shown).not.toContain("Type the code that the page shows");
    expect((await result("lock")).shown).toContain("Locked: the keys of your vaults are removed");
    expect((await result("lock")).shown).toContain("Locked already");

    // Somebody answers with another key.
    const another = { personKey: "A".repeat(43), removed: [] };
    const others = Object.fromEntries(Object.keys(known).map((name) => [name, another]));
    await writeFile(file("confirmed-people.json"), JSON.stringify(others), { mode: 0o600 });
    const deceived = await run("unlock");
    await page.goto(await deceived.openedPage());
    await type(await codeOf(deceived));
    const refused = await shownBy(deceived);
    expect([refused.code, refused.shown]).toEqual([
      1,
      expect.stringContaining("The signing key of your account has changed"),
    ]);
    expect(await readdir(dirname(file("x")))).not.toContain("unlocked.json");
    await result("logout");
    const left = await readdir(dirname(file("x")));
    expect(left).not.toContain("signing-key.json");
    expect(left).toContain("confirmed-people.json");
  });
});
