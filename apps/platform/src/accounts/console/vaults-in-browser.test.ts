import { readFile } from "node:fs/promises";
import { openPersonPage, startChromium, withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { signUp } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { createAdminClients } from "../../rpc/admin-clients.js";
import { type DemoInBrowser, itemLink, openConsole, openedItem, startDemo } from "../testing/console-steps.js";
import { startSite } from "../testing/start-site.js";

const wide = { width: 1024, height: 800 };

/** Creates a vault in the page. Resolves with its id. */
async function createVault(page: Page, name: string): Promise<string> {
  await page.getByRole("button", { name: "New vault" }).click();
  const dialog = page.getByRole("dialog", { name: "New vault" });
  await dialog.getByLabel("Name of the vault").fill(name);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

const openNamed = (page: Page, name: string) =>
  page.getByRole("navigation").getByRole("link", { name, exact: true }).click();

describe.skipIf(withoutChromium)("the vaults of a person, in Chromium", () => {
  let demo: DemoInBrowser;
  beforeAll(async () => {
    demo = await startDemo();
    return () => demo[Symbol.asyncDispose]();
  });

  it("the address that the command line opens asks for a vault with a name, once", async () => {
    await using person = await demo.openPage();
    const { page } = person;
    await openConsole(page, demo);
    const address = page.url();
    // Only another fragment would not load the page.
    await page.goto("about:blank");
    await page.goto(`${address}#new-vault=Side%20project%20%26%20more`);
    const dialog = page.getByRole("dialog", { name: "New vault" });
    await dialog.waitFor();
    expect(await dialog.getByLabel("Name of the vault").inputValue()).toBe("Side project & more");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(new URL(page.url()).hash).toBe("");
  });

  it("a person creates a vault, renames it, and deletes it with its items, which bring it back", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openConsole(page, demo);
    await page.getByRole("button", { name: "New vault" }).click();
    const dialog = page.getByRole("dialog", { name: "New vault" });
    await dialog.getByLabel("Name of the vault").fill("  ");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("Enter a name.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    const vaultId = await createVault(page, "Family");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Family" }).waitFor();
    const writer = await demo.openWriter(page);
    await writer.write({ vaultId, itemId: "wifi", title: "Wi-Fi at home" });
    await itemLink(page, "Wi-Fi at home").waitFor();

    await page.getByRole("button", { name: "Rename or delete this vault" }).click();
    const sheet = page.getByRole("dialog", { name: "This vault" });
    await sheet.getByLabel("Name of the vault").fill("خانواده 👪");
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await sheet.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { level: 1, name: "خانواده 👪" }).waitFor();
    await openNamed(page, "خانواده 👪");

    await page.getByRole("button", { name: "Rename or delete this vault" }).click();
    await sheet.getByRole("button", { name: "Delete this vault…" }).click();
    const asking = page.getByRole("dialog", { name: "Delete “خانواده 👪”?" });
    await asking.getByText("1 item").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await asking.getByRole("button", { name: "Delete the vault" }).click();
    await page.getByRole("heading", { level: 1, name: "Deleted" }).waitFor();
    await expect.poll(() => page.getByRole("navigation").getByRole("link", { name: "خانواده 👪" }).count()).toBe(0);
    await itemLink(page, "Wi-Fi at home").click();
    await openedItem(page, "Wi-Fi at home").getByRole("button", { name: "Restore" }).click();
    await openNamed(page, "خانواده 👪");
    await itemLink(page, "Wi-Fi at home").waitFor();
    await page.getByRole("button", { name: "New item" }).click();
    await page.getByRole("link", { name: "Secure note" }).click();
    await page.getByLabel("Title", { exact: true }).fill("Written in the vault that is back");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await itemLink(page, "Written in the vault that is back").waitFor();
    expect(problems).toEqual([]);
  });

  it("a person who decides about software reads the names of their vaults, which the server does not know", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await signUp(page, demo.origin);
    await page.goto(`${demo.origin}/console`);
    await createVault(page, "Holiday in Rome");
    const body = new URLSearchParams({ client_id: "demo-agent" });
    const response = await fetch(`${demo.origin}/oauth/device_authorization`, { method: "POST", body });
    const { verification_uri_complete: uri } = z
      .object({ verification_uri_complete: z.string() })
      .parse(await response.json());
    await page.goto(uri);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByLabel("Holiday in Rome").waitFor();
    expect(problems).toEqual([]);
  });

  it("an item that the person has not signed is marked, with the reason, and one of another browser of theirs is not", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openConsole(page, demo);
    const vaultId = await createVault(page, "Work");
    const writer = await demo.openWriter(page);
    await writer.write({ vaultId, itemId: "signed", title: "Signed by me" });
    await writer.write({ vaultId, itemId: "unsigned", title: "Not signed" }, { signer: "nobody" });
    await writer.write({ vaultId, itemId: "stranger", title: "Signed by a stranger" }, { signer: "stranger" });
    // What a server can do that knows no more than the public key of the person.
    await writer.write({ vaultId, itemId: "forged", title: "Forged" }, { signer: "nobody", recipient: "person" });
    const line = (title: string) => page.locator("li.item").filter({ hasText: title }).locator(".line");
    for (const title of ["Not signed", "Signed by a stranger", "Forged"]) {
      await itemLink(page, title).waitFor();
      expect(await line(title).textContent()).toBe("Not verified");
    }
    expect(await line("Signed by me").textContent()).toBe("Login");
    await itemLink(page, "Forged").click();
    await openedItem(page, "Forged").getByText("Not verified: you have not signed this item.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await itemLink(page, "Signed by me").click();
    await openedItem(page, "Signed by me").getByText("Only people with access to Work").waitFor();
    expect(await page.getByText("Not verified").count()).toBe(3);

    // Another browser of the person has the same keys.
    await using elsewhere = await demo.openPage();
    await openConsole(elsewhere.page, demo);
    await openNamed(elsewhere.page, "Work");
    await itemLink(elsewhere.page, "Signed by me").waitFor();
    expect(await elsewhere.page.getByText("Not verified").count()).toBe(3);
    expect([...problems, ...elsewhere.problems]).toEqual([]);
  });

  it("a server that answers with an older version of an item, or hides the key of a vault, is noticed", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openConsole(page, demo);
    const vaultId = await createVault(page, "Rolled back");
    const writer = await demo.openWriter(page);
    const old = await writer.write({ vaultId, itemId: "bank", title: "Bank" });
    await itemLink(page, "Bank").waitFor();
    await writer.write({ vaultId, itemId: "bank", title: "Bank, with a new password" }, { baseVersion: 1 });
    await itemLink(page, "Bank, with a new password").waitFor();
    await writer.put({ ...old, baseVersion: 2 });
    await itemLink(page, "Bank").click();
    await openedItem(page, "Bank").getByText("This is older than what you saw").waitFor();
    await page.goto(`${demo.origin}/console/export#${vaultId}`);
    await page.getByText("1 item will be in the file in an older state than you saw").waitFor();
    await page.getByText("Bank (version 1, you saw 2)").waitFor();

    await writer.write({ vaultId, itemId: "forged", title: "Forged" }, { signer: "nobody", recipient: "person" });
    await page.route(/MemberVaultService\/ListVaults/, async (route) => {
      const response = await route.fetch();
      const { vaults } = await response.json();
      const keyless = vaults.map(({ key, ...vault }: { key?: object }) => vault);
      await route.fulfill({ response, json: { vaults: keyless, nextPageToken: "" } });
    });
    await page.goto(`${demo.origin}/console/vaults/${vaultId}`);
    await itemLink(page, "Forged").click();
    await openedItem(page, "Forged").getByText("Not verified: you have not signed this item.").waitFor();
    expect(problems).toEqual([]);
  });
});

describe.skipIf(withoutChromium)("a vault with a key, and its members, in Chromium", () => {
  it("the personal vault gets its key when it is opened; a member whom an administrator adds waits for the key", async () => {
    await using started = new AsyncDisposableStack();
    const site = started.use(await startSite());
    const browser = started.use(await startChromium());
    const { internalUrl, adminTokenFile, origin } = site;
    const { vaults } = createAdminClients({ internalUrl, adminToken: await readFile(adminTokenFile, "utf8") });
    const { page: ada, problems } = started.use(await openPersonPage(browser));
    await signUp(ada, origin);
    await ada.goto(`${origin}/console`);
    await openNamed(ada, "Personal");
    const listed = ada.waitForResponse(/MemberVaultService\/ListVaults/);
    await ada.reload();
    expect(await (await listed).json()).toMatchObject({ vaults: [{ encryptedName: "", key: { epoch: 1 } }] });
    const family = await createVault(ada, "Family");
    const { tenantId } = await ada.evaluate(async () => (await fetch("/account/api/console")).json());

    const { page: bob, problems: bobs } = started.use(await openPersonPage(browser));
    await signUp(bob, origin);
    const { principalId } = await bob.evaluate(async () => (await fetch("/account/api/console")).json());
    await vaults.setVaultMember({ tenantId, vaultId: family, principalId, role: "member" });
    await bob.goto(`${origin}/console/vaults/${family}`);
    await bob.getByRole("heading", { level: 1, name: "Shared vault" }).waitFor();
    await bob.getByText("Nobody has shared the key of this vault with you yet").waitFor();
    expect(await findViolations(bob)).toEqual([]);
    expect(await bob.getByRole("button", { name: "Rename or delete this vault" }).count()).toBe(0);
    expect([...problems, ...bobs]).toEqual([]);
  });

  it("an account without member keys opens as before, and gets them, and its vault a key, at the next unlock", async () => {
    await using started = new AsyncDisposableStack();
    const { origin } = started.use(await startSite());
    const browser = started.use(await startChromium());
    const { page, problems } = started.use(await openPersonPage(browser));
    // As an account of a version without them was made.
    await page.route("**/account/api/member-keys", (route) => route.abort());
    await signUp(page, origin);
    await page.goto(`${origin}/console`);
    await openNamed(page, "Personal");
    await page.getByText("Your vault is ready").waitFor();
    expect(await page.getByRole("button", { name: "New vault" }).count()).toBe(0);
    await page.unroute("**/account/api/member-keys");
    await page.getByRole("button", { name: "Ada" }).click();
    await page.getByRole("button", { name: "Lock now" }).click();
    const created = page.waitForResponse(/MemberVaultService\/CreateVaultKey/);
    await page.getByRole("button", { name: "Unlock with your passkey" }).click();
    expect((await created).status()).toBe(200);
    await createVault(page, "Family");
    expect(problems).toEqual([]);
  });
});
