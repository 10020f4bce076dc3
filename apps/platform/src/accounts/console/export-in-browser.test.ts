import { readFile } from "node:fs/promises";
import { openPersonPage, startChromium, withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { signUp } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { freePort } from "@platform-rpc/testbed/network";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { itemLink, openedItem } from "../testing/console-steps.js";
import { startSite } from "../testing/start-site.js";

const wide = { width: 1280, height: 900 };
const passphrase = "glacier-mango-unwired-tulip-kettle";

describe.skipIf(withoutChromium)("the export and the passwords of a person, in Chromium", () => {
  let started: AsyncDisposableStack;
  let origin: string;
  let browser: Awaited<ReturnType<typeof startChromium>>;
  beforeAll(async () => {
    started = new AsyncDisposableStack();
    // The API must know the accounts origin before it listens.
    ({ origin } = started.use(await startSite({ ACCOUNTS_PORT: String(await freePort()) })));
    browser = started.use(await startChromium());
    return () => started.disposeAsync();
  });

  /** Opens the vault of a new person with one login, and records what the page sends. */
  async function openVault(fields: Readonly<Record<string, string>>) {
    const person = await openPersonPage(browser);
    const { page } = person;
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
    await page.setViewportSize(wide);
    await signUp(page, origin);
    await page.goto(`${origin}/console`);
    await page.getByText("Your vault is ready").waitFor();
    await page.getByRole("link", { name: "Add an item" }).click();
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
    return { ...person, sent };
  }
  const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();

  /** Clicks Export, and returns the text of the file that is saved. */
  async function saved(page: Page, click: () => Promise<void>) {
    const downloading = page.waitForEvent("download");
    await click();
    const download = await downloading;
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
  }
  const exportNow = (page: Page) => page.getByRole("button", { name: "Export", exact: true }).click();

  it("both files are saved after a recent sign-in, contain the items, and are listed as activity", async () => {
    await using person = await openVault({
      Title: "Example mail",
      Username: "ada@example.com",
      Password: "zQ8!pancake-orbit",
      Tags: "work",
    });
    const { page, problems, sent } = person;
    await page.getByRole("button", { name: "File", exact: true }).click();
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: "hello.txt", mimeType: "text/plain", buffer: Buffer.from("Hello") });
    await save(page);
    await openedItem(page, "Example mail").waitFor();

    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("combobox", { name: "Search everything" }).fill("export");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Export", level: 1 }).waitFor();
    await page.getByText("1 item will be exported.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.setViewportSize(wide);

    const first = page.getByLabel("Passphrase", { exact: true });
    const again = page.getByLabel("The same passphrase again");
    for (const [typed, repeated, problem] of [
      ["short", "short", "at least 12 characters"],
      ["password1234", "password1234", "too easy to guess"],
      [passphrase, `${passphrase}!`, "The two passphrases differ"],
    ] as const) {
      await first.fill(typed);
      await again.fill(repeated);
      await exportNow(page);
      await page.getByRole("alert").getByText(problem).waitFor();
    }
    expect(sent.filter((request) => request.includes("/account/api/exports"))).toEqual([]);
    await again.fill(passphrase);
    const refusal = { reason: "SIGN_IN_AGAIN", message: "You signed in more than 5 minutes ago." };
    await page.route("**/account/api/exports", (route) => route.fulfill({ status: 401, json: refusal }), { times: 1 });
    await exportNow(page);
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
    const encrypted = await saved(page, () => dialog.getByRole("button", { name: "Use a passkey" }).click());
    expect(encrypted.name).toMatch(/^vault-encrypted-\d{4}-\d\d-\d\d\.json$/);
    expect(Object.keys(JSON.parse(encrypted.text))).toEqual(["format", "version", "kdf", "nonce", "ciphertext"]);
    const [item] = await decrypted(encrypted.text);
    expect(item).toMatchObject({ kind: "login", vault: expect.any(String) });
    expect(JSON.parse(item?.content ?? "")).toMatchObject({ version: 1, title: "Example mail", tags: ["work"] });
    expect(item?.content).toContain('"fileName":"hello.txt"');
    await page.getByText("The file was saved. It contains 1 item.").waitFor();

    await page.getByLabel("Bitwarden JSON").check();
    await page.getByText("can read all your passwords").waitFor();
    await page.getByText("hello.txt, in “Example mail”").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    const open = await saved(page, () => exportNow(page));
    expect(open.name).toMatch(/^vault-unencrypted-/);
    expect(JSON.parse(open.text)).toMatchObject({
      encrypted: false,
      folders: [{ name: "work" }],
      items: [{ type: 1, name: "Example mail", login: { username: "ada@example.com", password: "zQ8!pancake-orbit" } }],
    });

    // Both files come back as they were, in another vault.
    for (const [name, { text }] of Object.entries({ "Copy of the file": encrypted, "Copy of Bitwarden": open })) {
      await page.getByRole("button", { name: "New vault" }).click();
      await page.getByLabel("Name of the vault").fill(name);
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await page.getByRole("link", { name: "Import", exact: true }).click();
      await page
        .getByLabel("File", { exact: true })
        .setInputFiles({ name: "vault.json", mimeType: "application/json", buffer: Buffer.from(text) });
      if (text === encrypted.text) {
        await page.getByLabel("Password of the file").fill(passphrase);
        await page.getByRole("button", { name: "Open the file" }).click();
      }
      await page.getByLabel("Vault", { exact: true }).selectOption(name);
      await page.getByRole("button", { name: "Import 1 item", exact: true }).click();
      await page.getByRole("heading", { name: "Imported 1 item", exact: true }).waitFor();
      await page.getByRole("button", { name: "Done", exact: true }).click();
      await page.getByRole("navigation").getByRole("link", { name }).click();
      await itemLink(page, "Example mail").click();
      const copy = openedItem(page, "Example mail");
      await copy.getByText("ada@example.com").waitFor();
      expect(await copy.getByText("hello.txt").count()).toBe(text === encrypted.text ? 1 : 0);
    }
    await page.getByRole("navigation").getByRole("link", { name: "All items" }).click();
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("combobox", { name: "Search everything" }).fill("export");
    await page.keyboard.press("Enter");
    await page.getByText("3 items will be exported.").waitFor();
    await page.getByLabel("Bitwarden JSON").check();

    await page.route("**/account/api/exports", (route) => route.abort(), { times: 1 });
    let downloads = 0;
    page.on("download", () => {
      downloads += 1;
    });
    await exportNow(page);
    await page.getByText("The server did not answer.").waitFor();
    expect(downloads).toBe(0);

    await page.getByRole("navigation").getByRole("link", { name: "Activity" }).click();
    await page.getByText("Exported a vault as Bitwarden JSON, unencrypted").waitFor();
    await page.getByText("Exported a vault as an encrypted file").waitFor();
    expect(await page.content()).not.toContain("zQ8!pancake-orbit");
    for (const secret of ["Example mail", "pancake", passphrase, "SGVsbG8"])
      expect(sent.join("\n")).not.toContain(secret);
    expect(problems).toEqual([]);
  });

  it("weak passwords are found without the network, and passphrases are generated", async () => {
    await using person = await openVault({ Title: "Old forum", Username: "ada", Password: "password1" });
    const { page, problems, sent } = person;
    await page.getByText(/^Very weak\. This is/).waitFor();
    await save(page);
    await openedItem(page, "Old forum")
      .getByText(/Weak password: it is easy to guess/)
      .waitFor();
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("combobox").fill("weak");
    await page.keyboard.press("Enter");
    await page.getByText("1 item has a weak or reused password.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await page.getByRole("list", { name: "Weak or reused" }).getByRole("link", { name: "Old forum" }).click();
    await openedItem(page, "Old forum").getByRole("link", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Generate" }).click();
    await page.getByText("128 bits of entropy").waitFor();
    await page.getByLabel("Passphrase: words").check();
    await page.getByText("77 bits of entropy").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await page.getByRole("button", { name: "Use this passphrase" }).click();
    await page.getByText("Strong.").waitFor();
    await save(page);
    await openedItem(page, "Old forum").waitFor();
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("combobox").fill("weak");
    await page.keyboard.press("Enter");
    await page.getByText("Every password is strong, and used once.").waitFor();
    expect(sent.join("\n")).not.toContain("password1");
    expect(problems).toEqual([]);
  });
});

/** Decrypts a file as docs/export.md describes it. */
async function decrypted(text: string): Promise<readonly { readonly content: string }[]> {
  const { format, version, kdf, nonce, ciphertext } = JSON.parse(text);
  const bytes = (base64url: string) => Uint8Array.from(Buffer.from(base64url, "base64url"));
  const secret = await crypto.subtle.importKey("raw", Buffer.from(passphrase), "PBKDF2", false, ["deriveKey"]);
  const derivation = { name: "PBKDF2", hash: "SHA-256", iterations: kdf.iterations, salt: bytes(kdf.salt) };
  const key = await crypto.subtle.deriveKey(derivation, secret, { name: "AES-GCM", length: 256 }, false, ["decrypt"]);
  const additionalData = Buffer.from(JSON.stringify([format, version, kdf.name, kdf.iterations, kdf.salt, nonce]));
  const cipher = { name: "AES-GCM", iv: bytes(nonce), additionalData };
  return JSON.parse(Buffer.from(await crypto.subtle.decrypt(cipher, key, bytes(ciphertext))).toString()).items;
}
