import { fillRecoveryCode, signUp, storeRecoveryCode } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { describe, expect, vi } from "vitest";
import * as z from "zod";
import {
  beginItem,
  createVault,
  fill,
  itemLine,
  itemLink,
  lockNow,
  openConsole,
  openedItem,
  openNewVault,
  removeCopies,
  removeKeys,
  save,
} from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";
import { startDemo } from "../testing/start-demo.js";

const openNamed = (page: Page, name: string) =>
  page.getByRole("navigation").getByRole("link", { name, exact: true }).click();

/** Replaces a text in the answers of the server, as one does that lies. */
const rewriteAnswers = (page: Page, url: RegExp, from: string, to: string) =>
  page.route(url, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll(from, to) });
  });

// A test that counts the marks of all items has a demo of its own: the others write items, too.
describe("the vaults of a person, in Chromium", () => {
  it("the address that the command line opens asks for a vault with a name, once", async ({ allItems: page }) => {
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

  it("a person creates a vault, renames it, and deletes it with its items, which bring it back", async ({
    demo,
    allItems: page,
  }) => {
    await page.getByRole("button", { name: "New vault" }).click();
    const dialog = page.getByRole("dialog", { name: "New vault" });
    await dialog.getByLabel("Name of the vault").fill("  ");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("Enter a name.").waitFor();
    expect(await findViolations(page)).toEqual([]);
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
    await sheet.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { level: 1, name: "خانواده 👪" }).waitFor();
    await openNamed(page, "خانواده 👪");

    await page.getByRole("button", { name: "Rename or delete this vault" }).click();
    await sheet.getByRole("button", { name: "Delete this vault…" }).click();
    const asking = page.getByRole("dialog", { name: "Delete “خانواده 👪”?" });
    await asking.getByText("1 item").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await asking.getByRole("button", { name: "Delete the vault" }).click();
    await page.getByRole("heading", { level: 1, name: "Deleted" }).waitFor();
    await expect.poll(() => page.getByRole("navigation").getByRole("link", { name: "خانواده 👪" }).count()).toBe(0);
    await itemLink(page, "Wi-Fi at home").click();
    await openedItem(page, "Wi-Fi at home").getByRole("button", { name: "Restore" }).click();
    await openNamed(page, "خانواده 👪");
    await itemLink(page, "Wi-Fi at home").waitFor();
    await beginItem(page, "Secure note");
    await fill(page, { Title: "Written in the vault that is back" });
    await save(page);
    await itemLink(page, "Written in the vault that is back").waitFor();
  });

  it("a person who decides about software reads the names of their vaults, which the server does not know", async ({
    demo,
    newVault: page,
  }) => {
    await createVault(page, "Holiday in Rome");
    const body = new URLSearchParams({ client_id: "demo-agent" });
    const response = await fetch(`${demo.issuer}/oauth/device_authorization`, { method: "POST", body });
    const { verification_uri_complete: uri } = z
      .object({ verification_uri_complete: z.string() })
      .parse(await response.json());
    const review = async (vault: string) => {
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByLabel(vault).waitFor();
    };
    await page.goto(uri);
    await review("Holiday in Rome");
    await page.evaluate(() => dispatchEvent(new Event("platform-lock")));
    await page.getByRole("button", { name: "Unlock with your passkey" }).click();
    await review("Holiday in Rome");
    // A page of the person would lock itself.
    await page.goto(`${demo.origin}/assets/icon.svg`);
    await removeKeys(page);
    await page.goto(uri);
    await review("Vault 2");
    await page.getByRole("link", { name: "Unlock to see the names of the vaults" }).click();
    await page.getByRole("button", { name: "Unlock with your passkey" }).click();
    // Back at the review, not at the page for the code.
    await page.getByLabel("Holiday in Rome").waitFor();
  });

  it("a person who consents to a deletion reads which item of which vault it is, once the browser has the keys", async ({
    demo,
    allItems: page,
  }) => {
    const url = await demo.deletionUrl({ vaultId: "demo-vault", itemId: "demo-login" });
    await page.goto(url);
    const shown = page.locator("main > dl > dd");
    await expect.poll(async () => (await shown.allInnerTexts()).slice(0, 3)).toEqual(["Example mail", "Login", "Demo"]);
    const visible = (words: RegExp) => page.getByText(words).filter({ visible: true }).count();
    expect(await visible(/demo-(?:vault|login|agent)/)).toBe(0);
    await page.getByText("Details").click();
    await page.getByText("demo-login, version 1").waitFor();
    const found = await findViolations(page);
    await page.goto(`${demo.origin}/assets/icon.svg`);
    await removeKeys(page);
    await page.goto(url);
    await page.getByRole("link", { name: "Unlock to see which item" }).waitFor();
    expect(await visible(/Example mail|Encrypted title/)).toBe(0);
    found.push(...(await findViolations(page)));
    await page.getByRole("link", { name: "Unlock to see which item" }).click();
    await fillRecoveryCode(page, demo.recoveryCode);
    await page.getByRole("button", { name: "Use the recovery code" }).click();
    await shown.getByText("Example mail", { exact: true }).waitFor();
    expect(page.url()).toBe(url);
    expect(found).toEqual([]);
  });

  it("an item that the person has not signed is marked, with the reason, and one of another browser of theirs is not", async ({
    page,
    openPerson,
  }) => {
    await using demo = await startDemo();
    await openConsole(page, demo);
    const vaultId = await createVault(page, "Work");
    const writer = await demo.openWriter(page);
    await writer.write({ vaultId, itemId: "signed", title: "Signed by me" });
    await writer.write({ vaultId, itemId: "unsigned", title: "Not signed" }, { signer: "nobody" });
    await writer.write({ vaultId, itemId: "stranger", title: "Signed by a stranger" }, { signer: "stranger" });
    // What a server can do that knows no more than the public key of the person.
    await writer.write({ vaultId, itemId: "forged", title: "Forged" }, { signer: "nobody", recipient: "person" });
    for (const title of ["Not signed", "Signed by a stranger", "Forged"]) {
      await itemLink(page, title).waitFor();
      expect(await itemLine(page, title).textContent()).toBe("Not verified");
    }
    expect(await itemLine(page, "Signed by me").textContent()).toBe("Login");
    await itemLink(page, "Forged").click();
    await openedItem(page, "Forged").getByText("Not verified: you have not signed this item.").waitFor();
    const sealed = "Only people with access to Work can read this item";
    expect([await findViolations(page), await detailsOf(page, "Forged")]).toEqual([
      [],
      expect.not.stringMatching(sealed),
    ]);
    await itemLink(page, "Signed by me").click();
    expect(await detailsOf(page, "Signed by me")).toMatch(sealed);
    expect(await page.getByText("Not verified").count()).toBe(3);

    // Another browser of the person has the same keys.
    const elsewhere = await openPerson();
    await openConsole(elsewhere.page, demo);
    await openNamed(elsewhere.page, "Work");
    await itemLink(elsewhere.page, "Signed by me").waitFor();
    expect(await elsewhere.page.getByText("Not verified").count()).toBe(3);

    for (const itemId of ["signed", "stranger", "forged"]) {
      await page.goto(await demo.deletionUrl({ vaultId, itemId }));
      await page.getByText(/^(?:Signed by|Forged)/).waitFor();
      expect(await page.getByText("Not verified: neither you nor a program").isVisible()).toBe(itemId !== "signed");
    }
    expect(await findViolations(page)).toEqual([]);
  });

  it("a server that sends an old content or name, undoes a deletion, alters what it was sent, or hides the key of a vault is noticed", async ({
    page,
  }) => {
    await using demo = await startDemo();
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
    await page.getByText("1 item will be in the file in another state than you saw").waitFor();
    await page.getByText("Bank (older than what you saw, version 1, you saw 2)").waitFor();

    await page.goto(`${demo.origin}/console/vaults/${vaultId}`);
    await itemLink(page, "Bank").click();
    await openedItem(page, "Bank").getByRole("button", { name: "Delete", exact: true }).click();
    await itemLink(page, "Bank").waitFor({ state: "detached" });
    // The tombstone has version 4.
    await rewriteAnswers(page, /MemberVaultService\/ListChanges/, '"deleted":true', '"deleted":false');
    await removeCopies(page);
    await page.reload();
    await itemLink(page, "Bank").click();
    await openedItem(page, "Bank").getByText("this device has seen its deletion, version 4").waitFor();
    expect(await itemLine(page, "Bank").textContent()).toBe("Deleted before, and back");
    expect(await findViolations(page)).toEqual([]);
    await page.unroute(/MemberVaultService\/ListChanges/);

    await rewriteAnswers(page, /MemberVaultService\/PutItem$/, '"kind":"login"', '"kind":"note"');
    await beginItem(page);
    await fill(page, { Title: "Altered" });
    await save(page);
    await page.getByText("The answer of the server is not about the save that was sent.").waitFor();

    await writer.write({ vaultId, itemId: "forged", title: "Forged" }, { signer: "nobody", recipient: "person" });
    await page.route(/MemberVaultService\/ListVaults/, async (route) => {
      const response = await route.fetch();
      const { vaults } = await response.json();
      const newer = vaults.map((vault: object) => ({ ...vault, revision: 2 }));
      await route.fulfill({ response, json: { vaults: newer, nextPageToken: "" } });
    });
    await page.goto(`${demo.origin}/console/vaults/${vaultId}`);
    await page.getByRole("heading", { name: "Vault without a readable name" }).waitFor();
    await page.unroute(/MemberVaultService\/ListVaults/);
    await page.reload();
    await page.getByRole("heading", { name: "Rolled back (older than what you saw)" }).waitFor();
    await page.route(/MemberVaultService\/ListVaults/, async (route) => {
      const response = await route.fetch();
      const { vaults } = await response.json();
      const keyless = vaults.map(({ key, ...vault }: { key?: object }) => vault);
      await route.fulfill({ response, json: { vaults: keyless, nextPageToken: "" } });
    });
    await page.goto(`${demo.origin}/console/vaults/${vaultId}`);
    await itemLink(page, "Forged").click();
    await openedItem(page, "Forged").getByText("Not verified: you have not signed this item.").waitFor();
  });

  it("a server that hides the newest change, or shows another list, is noticed by what a device has signed", async ({
    demo,
    page,
  }) => {
    const noticed = page.getByRole("alert").getByText("one of your devices has signed");
    const list = (answer: object) =>
      page.route(/ListChanges$/, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), changes: [], hasMore: false, ...answer } });
      });
    await openNewVault(page, demo);
    const stored = page.waitForResponse(/PutVaultHead$/);
    const add = async (title: string) => {
      await beginItem(page);
      await fill(page, { Title: title });
      await save(page);
      await openedItem(page, title).waitFor();
    };
    await add("Bank");
    expect((await stored).status()).toBe(200);
    const unlock = page.getByRole("button", { name: "Unlock with your passkey" });
    const lockByItself = () =>
      page.evaluate(() => {
        localStorage.setItem("platform: last used", "0");
        dispatchEvent(new Event("focus"));
      });
    // The next ones wait for a minute, or until the page is left or locked.
    const ways: [title: string, lock: (() => Promise<unknown>) | undefined][] = [
      ["Mail", undefined],
      ["Lock now", () => lockNow(page, "Ada")],
      ["Lock by itself", lockByItself],
    ];
    for (const [index, [title, lock]] of ways.entries()) {
      await add(title);
      await vi.waitFor(
        async () => {
          await lock?.().then(() => unlock.waitFor());
          const listed = page.waitForResponse(/ListVaults$/);
          await (lock ? unlock.click() : page.reload());
          expect(await (await listed).text()).toContain(`"head":{"sequence":${index + 2},`);
        },
        { timeout: 60_000, interval: 1_000 },
      );
    }

    await list({});
    await removeCopies(page);
    await page.reload();
    await noticed.getByText("shows another state of this vault").waitFor();
    expect(await findViolations(page)).toEqual([]);
    // A browser that has seen nothing. It remembers the head, also if the server takes it back.
    await list({ cursor: { sequence: 0 } });
    await page.evaluate(() => indexedDB.deleteDatabase("platform-vault"));
    await removeCopies(page);
    await page.reload();
    await noticed.getByText("shows an older state of this vault").waitFor();
    await rewriteAnswers(page, /ListVaults$/, '"head":', '"none":');
    await page.reload();
    await noticed.getByText("shows an older state of this vault").waitFor();
    await page.unrouteAll();
    await page.reload();
    await itemLink(page, "Mail").waitFor();
    expect(await noticed.count()).toBe(0);
  });

  it("the personal vault gets its key when it is opened; a member whom an administrator adds waits for the key", async ({
    demo: { origin, vaults },
    openPerson,
  }) => {
    const { page: ada } = await openPerson();
    await openNewVault(ada, { origin });
    const listed = Promise.withResolvers<unknown>();
    await ada.route(/MemberVaultService\/ListVaults/, async (route) => {
      const response = await route.fetch();
      listed.resolve(await response.json());
      await route.fulfill({ response });
    });
    await ada.reload();
    expect(await listed.promise).toMatchObject({ vaults: [{ encryptedName: "", key: { epoch: 1 } }] });
    await ada.unrouteAll({ behavior: "wait" });
    const family = await createVault(ada, "Family");
    const { tenantId } = await ada.evaluate(async () => (await fetch("/account/api/console")).json());

    const { page: bob } = await openPerson();
    await signUp(bob, origin);
    const { principalId } = await bob.evaluate(async () => (await fetch("/account/api/console")).json());
    await vaults.setVaultMember({ tenantId, vaultId: family, principalId, role: "member" });
    await bob.goto(`${origin}/console/vaults/${family}`);
    await bob.getByRole("heading", { level: 1, name: "Shared vault" }).waitFor();
    await bob.getByText("Nobody has shared the key of this vault with you yet").waitFor();
    expect(await findViolations(bob)).toEqual([]);
    expect(await bob.getByRole("button", { name: "Rename or delete this vault" }).count()).toBe(0);
  });

  it("an account without member keys is locked, and gets them, and its vault a key, once the server stores them", async ({
    demo,
    page,
  }) => {
    await page.route("**/account/api/member-keys", (route) => route.abort());
    await page.goto(`${demo.origin}/sign-up`);
    await page.getByLabel("Your name").fill("Ada");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await storeRecoveryCode(page, "Locked");
    const unlock = page.getByRole("button", { name: "Unlock with your passkey" });
    await unlock.click();
    await page.getByText("The server did not answer.").waitFor();
    await page.unroute("**/account/api/member-keys");
    const created = page.waitForResponse(/MemberVaultService\/CreateVaultKey/);
    await unlock.click();
    expect((await created).status()).toBe(200);
    await createVault(page, "Family");
  });
});

/** Returns what the menu of an open item says about it. */
async function detailsOf(page: Page, title: string): Promise<string | null> {
  await openedItem(page, title).getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Details" }).click();
  const details = await page.getByRole("dialog", { name: "Details" }).textContent();
  await page.keyboard.press("Escape");
  return details;
}
