import { openPersonPage, startChromium, withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { signUp } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { freePort } from "@platform-rpc/testbed/network";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { itemLink, openedItem } from "../testing/console-steps.js";
import { startSite } from "../testing/start-site.js";

const wide = { width: 1280, height: 900 };

/** Begins a new item of a kind. The first one of a vault is a login. */
async function begin(page: Page, kind: string): Promise<void> {
  const first = page.getByRole("link", { name: "Add an item" });
  await first.or(page.getByRole("button", { name: "New item" })).waitFor();
  if (await first.isVisible()) {
    await first.click();
    return;
  }
  await page.getByRole("button", { name: "New item" }).click();
  await page.getByRole("link", { name: kind, exact: true }).click();
}

/** Fills fields by their labels, and saves. */
async function fill(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
}
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();

describe.skipIf(withoutChromium)("the items that a person writes, in Chromium", () => {
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

  async function openVault() {
    const person = await openPersonPage(browser);
    const { page } = person;
    await page.setViewportSize(wide);
    await signUp(page, origin);
    await page.goto(`${origin}/console`);
    await page.getByText("Your vault is ready").waitFor();
    return person;
  }

  it("every kind is added, shown after a reload, and verified", async () => {
    await using person = await openVault();
    const { page, problems } = person;
    const kinds: readonly (readonly [kind: string, title: string, fields: Record<string, string>, shown: string])[] = [
      [
        "Login",
        "Post",
        { Username: "ada@example.com", Password: "correct horse", Website: "mail.example.com" },
        "ada@",
      ],
      ["Secure note", "یادداشت 🗝️", { Notes: "خط اول\nline two" }, "خط اول"],
      [
        "Card",
        "Visa",
        { Cardholder: "Ada Lovelace", Number: "4111 1111 1111 1111", Expires: "12/2030" },
        "Ada Lovelace",
      ],
      ["Identity", "Me", { "First name": "Ada", Email: "ada@example.com" }, "ada@example.com"],
      ["API key", "CI", { Key: "sk-secret", Host: "api.example.com" }, "api.example.com"],
    ];
    for (const [kind, title, fields, shown] of kinds) {
      await begin(page, kind);
      await page.getByRole("heading", { level: 2, name: /^New / }).waitFor();
      await fill(page, { Title: title, ...fields });
      if (kind === "Login") {
        expect(await findViolations(page)).toEqual([]);
        await page.setViewportSize(wide);
      }
      await save(page);
      const item = openedItem(page, title);
      await item.getByText(shown).first().waitFor();
      await page.reload();
      await item.getByText(shown).first().waitFor();
      expect(await page.getByText("Not verified").count()).toBe(0);
      expect(await page.content()).not.toContain("correct horse");
    }
    expect(problems).toEqual([]);
  });

  it("an item is edited: its password is generated, a field is added, and a lock keeps what was typed", async () => {
    await using person = await openVault();
    const { page, problems } = person;
    await begin(page, "Login");
    await fill(page, { Title: "Bank", Username: "ada" });
    await page.getByRole("button", { name: "Generate" }).click();
    const password = (await page.locator("output.value").textContent()) ?? "";
    await page.getByRole("button", { name: "Use this password" }).click();
    await save(page);
    const item = openedItem(page, "Bank");
    await item.getByRole("button", { name: "Show Password", exact: true }).click();
    await item.getByText(password, { exact: true }).waitFor();
    expect(password.length).toBeGreaterThanOrEqual(16);

    await item.getByRole("link", { name: "Edit" }).click();
    const secret = "otpauth://totp/Bank:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    await fill(page, { "One-time code": secret });
    // The item was stored without a website, and with a name that a login has, the field stays the person's.
    await fill(page, { Tags: "money, home", Website: "bank.example.com" });
    await page.getByRole("button", { name: "Hidden text" }).click();
    const named = page.getByRole("textbox", { name: "Name of the field" });
    await named.clear();
    await named.pressSequentially("password2");
    await page.getByLabel("Password2", { exact: true }).fill("4711");
    // Drafts are kept a moment after the last key.
    await page.waitForFunction(async () =>
      (await indexedDB.databases()).some(({ name }) => name === "platform-vault-drafts"),
    );
    await expect.poll(() => draftCount(page)).toBe(1);
    await page.getByRole("button", { name: "Ada" }).click();
    await page.getByRole("button", { name: "Lock now" }).click();
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    await page.getByRole("button", { name: "Unlock with your passkey" }).click();
    await page.getByText("This continues what you typed before").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await save(page);
    await item.getByText("money").waitFor();
    await item.getByText("bank.example.com").waitFor();
    await item.getByText("Password2").waitFor();
    await expect.poll(() => item.locator(".one-time-code output").textContent()).toMatch(/^\d{3} \d{3}$/);
    expect(await draftCount(page)).toBe(0);
    await page.getByRole("searchbox").fill("home");
    await itemLink(page, "Bank").waitFor();
    expect(problems).toEqual([]);
  });

  it("who saves what somebody else has changed sees both, and decides", async () => {
    await using person = await openVault();
    const { page, problems } = person;
    await begin(page, "Login");
    await fill(page, { Title: "Shared", Username: "first" });
    await save(page);
    await openedItem(page, "Shared").waitFor();
    const other = await page.context().newPage();
    await other.setViewportSize(wide);
    await other.goto(page.url());
    const edit = async (tab: Page, username: string) => {
      await openedItem(tab, "Shared").getByRole("link", { name: "Edit" }).click();
      await fill(tab, { Username: username });
    };
    await edit(page, "mine");
    await edit(other, "theirs");
    await save(other);
    await openedItem(other, "Shared").getByText("theirs").waitFor();
    await save(page);
    await page.getByRole("heading", { name: "Someone changed this while you were editing" }).waitFor();
    await page.getByRole("row").filter({ hasText: "theirs" }).getByText("Changed").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await page.getByRole("button", { name: "Save yours anyway" }).click();
    await openedItem(page, "Shared").getByText("mine").waitFor();
    await openedItem(other, "Shared").getByText("Someone changed this item.").waitFor();
    await other.getByRole("button", { name: "Show it as it is now" }).click();

    await edit(other, "theirs again");
    await edit(page, "mine again");
    await save(page);
    await openedItem(page, "Shared").getByText("mine again").waitFor();
    await save(other);
    await other.getByRole("button", { name: "Keep the new version" }).click();
    await openedItem(other, "Shared").getByText("mine again").waitFor();
    expect(problems).toEqual([]);
  });

  it("a new item whose response was lost is saved once, with what the person has written since", async () => {
    await using person = await openVault();
    const { page, problems } = person;
    await begin(page, "Login");
    await fill(page, { Title: "Lost", Username: "first" });
    await page.route(
      /MemberVaultService\/PutItem/,
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await save(page);
    await page.getByText("The server did not answer.").waitFor();
    await fill(page, { Username: "second" });
    await save(page);
    await openedItem(page, "Lost").getByText("second").waitFor();
    expect(await itemLink(page, "Lost").count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it("a deleted item is deleted for ever: its content is gone, also for who restores", async () => {
    await using person = await openVault();
    const { page, problems } = person;
    await begin(page, "Login");
    await fill(page, { Title: "Old account", Username: "ada" });
    await save(page);
    await openedItem(page, "Old account").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Deleted" }).click();
    await itemLink(page, "Old account").click();
    await openedItem(page, "Old account").getByRole("button", { name: "Delete for ever" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete “Old account” for ever?" });
    await dialog.getByText("Backups that were made before contain it").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await dialog.getByRole("button", { name: "Delete for ever" }).click();
    await page.getByText("The content was deleted for ever").first().waitFor();
    expect(await page.getByRole("button", { name: "Restore" }).count()).toBe(0);
    expect(await page.content()).not.toContain("Old account");
    expect(problems).toEqual([]);
  });

  it("needs only the keyboard, and keeps Persian, Arabic and emoji as they are", async () => {
    await using person = await openVault();
    const { page, problems } = person;
    const palette = async (words: string) => {
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("combobox", { name: "Search everything" }).fill(words);
      await page.keyboard.press("Enter");
    };
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("id") ?? "");
    const tabTo = async (label: string) => {
      const id = await page.getByLabel(label, { exact: true }).getAttribute("id");
      for (let presses = 0; (await focused()) !== id; presses += 1) {
        if (presses > 60) throw new Error(`Tab does not reach ${label}.`);
        await page.keyboard.press("Tab");
      }
    };
    const written = {
      Title: "بانک ملّی ایران 🏦",
      Username: "مریم‌جان",
      Password: "كلمة السر ١٢٣ 🔑",
      Tags: "کار, 👩‍💻",
    };
    await palette("new login");
    for (const [label, text] of Object.entries(written)) {
      await tabTo(label);
      await page.keyboard.insertText(text);
    }
    await page.keyboard.press("Enter");
    await openedItem(page, written.Title).waitFor();
    await page.reload();
    const article = openedItem(page, written.Title);
    await article.getByText(written.Username).waitFor();
    for (const tag of ["کار", "👩‍💻"]) await article.getByText(tag).waitFor();
    const show = article.getByRole("button", { name: "Show" }).first();
    await show.focus();
    await page.keyboard.press("Enter");
    await article.getByText(written.Password).waitFor();
    const direction = await article
      .getByText(written.Username)
      .evaluate((element) => getComputedStyle(element).direction);
    expect(direction).toBe("rtl");

    await page.keyboard.press("/");
    await page.keyboard.insertText("nothing");
    await page.getByText("Nothing here contains").waitFor();
    // The first one empties the field, the second one leaves it.
    for (const key of ["Escape", "Escape", "/"]) await page.keyboard.press(key);
    await page.keyboard.insertText("مریم");
    await itemLink(page, written.Title).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: /^Undo/ }).waitFor();
    await page.keyboard.press("u");
    await itemLink(page, written.Title).waitFor();
    expect(problems).toEqual([]);
  });

  it("works on a phone: the form fits, and Back keeps what was typed", async () => {
    await using person = await openVault();
    const { page, problems } = person;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("link", { name: "Add an item" }).click();
    await fill(page, { Title: "On the way" });
    await expect.poll(() => draftCount(page)).toBe(1);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.goBack();
    await page.getByRole("link", { name: "Add an item" }).click();
    await page.getByText("This continues what you typed before").waitFor();
    expect(await page.getByLabel("Title", { exact: true }).inputValue()).toBe("On the way");
    await save(page);
    await openedItem(page, "On the way").waitFor();
    expect(problems).toEqual([]);
  });
});

/** Returns how many drafts the browser keeps. */
function draftCount(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const opening = indexedDB.open("platform-vault-drafts", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("drafts");
    await new Promise((resolve) => opening.addEventListener("success", resolve));
    const counting = opening.result.transaction("drafts").objectStore("drafts").count();
    await new Promise((resolve) => counting.addEventListener("success", resolve));
    opening.result.close();
    return counting.result;
  });
}
