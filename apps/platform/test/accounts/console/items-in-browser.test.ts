import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { findViolations, isInWindow } from "@platform-rpc/accounts/testing/find-violations";
import type { Locator, Page } from "playwright-core";
import { describe, expect } from "vitest";
import {
  addField,
  beginItem,
  fill,
  goWithPalette,
  itemLink,
  lockNow,
  loseResponseOfPut,
  openedItem,
  openNewVault,
  save,
  withSelected,
} from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";

describe("the items that a person writes, in Chromium", () => {
  it("every kind is added, shown, and verified, also after a reload", async ({ newVault: page }) => {
    const kinds: readonly (readonly [kind: string, title: string, label: string, text: string])[] = [
      ["Login", "Post", "Username", "ada@example.com"],
      ["Secure note", "یادداشت 🗝️", "Notes", "خط اول\nline two"],
      ["Card", "Visa", "Cardholder", "Ada Lovelace"],
      ["Identity", "Me", "Email", "ada@example.com"],
      ["API key", "CI", "Host", "api.example.com"],
    ];
    for (const [kind, title, label, text] of kinds) {
      await beginItem(page, kind);
      await page.getByRole("heading", { level: 2, name: /^New / }).waitFor();
      await fill(page, { Title: title, [label]: text });
      if (kind === "Login") expect(await findViolations(page)).toEqual([]);
      await save(page);
      await openedItem(page, title).getByText(text.slice(0, 8)).first().waitFor();
    }
    await page.reload();
    for (const [, title] of kinds) await itemLink(page, title).waitFor();
    expect(await page.getByText("Not verified").count()).toBe(0);
  });

  it("an item is edited: its password is generated, a field is added, and a lock keeps what was typed", async ({
    newVault: page,
  }) => {
    await beginItem(page);
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
    await page.getByLabel("Favourite").check();
    await addField(page, "Hidden text");
    const named = page.getByRole("textbox", { name: "Name of the field" });
    await named.clear();
    await named.pressSequentially("password2");
    await page.getByLabel("Password2", { exact: true }).fill("4711");
    // Drafts are kept a moment after the last key.
    await page.waitForFunction(async () =>
      (await indexedDB.databases()).some(({ name }) => name === "platform-vault-drafts"),
    );
    await expect.poll(() => draftCount(page)).toBe(1);
    await lockNow(page, "Ada");
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    await page.getByRole("button", { name: "Unlock with your passkey" }).click();
    await page.getByText("This continues what you typed before").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await save(page);
    await item.getByText("money").waitFor();
    await item.getByRole("link", { name: "bank.example.com" }).waitFor();
    await item.getByText("Password2").waitFor();
    await expect.poll(() => item.locator(".one-time-code output").textContent()).toMatch(/^\d{3} \d{3}$/);
    expect(await draftCount(page)).toBe(0);
    await page.getByRole("searchbox").fill("HÔME bank");
    const favourite = itemLink(page, "Bank Favourite");
    await favourite.waitFor();
    // The search stays while the person looks at another page.
    await page.getByRole("navigation").getByRole("link", { name: "Passwords" }).click();
    await page.getByRole("heading", { name: "Passwords", level: 1 }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "All items" }).click();
    await favourite.waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("HÔME bank");
  });

  it("how agents use an item is chosen in its form, and said in words", async ({ newVault: page }) => {
    await beginItem(page, "API key");
    await fill(page, { Title: "CI", Key: "k-1", Host: "api.example.com" });
    await save(page);
    const item = openedItem(page, "CI");
    await item.getByText("Agents that you allow may use it at api.example.com as a Bearer token.").waitFor();
    await item.getByRole("link", { name: "Edit" }).click();
    await addField(page, "Use as");
    const useAs = page.getByLabel("Use as", { exact: true });
    expect(await useAs.evaluate((select) => select === document.activeElement)).toBe(true);
    expect(await useAs.locator("option").first().textContent()).toBe("Default: Bearer token");
    await useAs.selectOption("Header…");
    await save(page);
    await page.getByText("Enter the name of a header or query parameter that agents may set.").waitFor();
    expect(await page.locator(":focus").getAttribute("aria-label")).toBe("Name of the header");
    await page.locator(":focus").fill("X-Api-Key");
    expect(await findViolations(page)).toEqual([]);
    await save(page);
    await item.getByText("Agents that you allow may use it at api.example.com in the header X-Api-Key.").waitFor();
    expect(await item.getByText("Use as").count()).toBe(0);
    await item.getByRole("link", { name: "Edit" }).click();
    await useAs.selectOption("Never");
    await save(page);
    await item.getByText("Agents cannot use it.").waitFor();
    expect(await findViolations(page)).toEqual([]);
  });

  it("what two tabs changed is merged, and only a field that both changed is asked about", async ({
    newVault: page,
  }) => {
    await beginItem(page);
    await fill(page, { Title: "Shared", Username: "first", Password: "before" });
    await save(page);
    await openedItem(page, "Shared").waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    const edit = async (tab: Page, fields: Readonly<Record<string, string>>) => {
      await openedItem(tab, "Shared").getByRole("link", { name: "Edit" }).click();
      await fill(tab, fields);
    };
    const showNew = (tab: Page) => tab.getByRole("button", { name: "Show it as it is now" }).click();
    await edit(page, { Username: "mine" });
    await edit(other, { Website: "mail.example.com" });
    await save(other);
    await openedItem(other, "Shared").getByRole("link", { name: "mail.example.com" }).waitFor();
    await save(page);
    await openedItem(page, "Shared").getByRole("link", { name: "mail.example.com" }).waitFor();
    await openedItem(page, "Shared").getByText("mine").waitFor();

    await showNew(other);
    await edit(page, { Username: "typed here", Password: "of this tab" });
    await edit(other, { Username: "typed there", Password: "of the other tab", Notes: "a note" });
    await save(other);
    await openedItem(other, "Shared").getByText("typed there").waitFor();
    await save(page);
    const conflict = page.getByRole("form", { name: "Someone changed this while you were editing" });
    await conflict.getByText("Changed by you, in another tab.").waitFor();
    const asked = () => conflict.getByRole("group").getByRole("radio").count();
    expect(await asked()).toBe(4);
    expect(await page.content()).not.toContain("of the other tab");
    expect(await findViolations(page)).toEqual([]);
    // Nothing is chosen for the person, and going back keeps what they typed.
    await save(page);
    await conflict.getByRole("button", { name: "Back to editing" }).click();
    expect(await page.getByLabel("Username", { exact: true }).inputValue()).toBe("typed here");
    await save(page);
    await conflict.getByRole("group", { name: "Username" }).getByLabel("What you wrote").check();
    await conflict.getByRole("group", { name: "Password" }).getByLabel("What is stored now").check();
    await save(page);
    const merged = openedItem(page, "Shared");
    await merged.getByText("typed here").waitFor();
    await merged.getByText("a note").waitFor();
    await merged.getByRole("button", { name: "Show Password" }).click();
    await merged.getByText("of the other tab").waitFor();

    await edit(page, { Username: "not lost" });
    await showNew(other);
    await openedItem(other, "Shared").getByRole("button", { name: "Delete", exact: true }).click();
    await other.getByText("“Shared” deleted").waitFor();
    await save(page);
    await page.getByText(/^It was deleted by you/).waitFor();
    await page.getByRole("button", { name: "Save as a new item" }).click();
    await openedItem(page, "Shared").getByText("not lost").waitFor();
    expect(await draftCount(page)).toBe(0);
  });

  it("a new item whose response was lost is saved once, with what the person has written since", async ({
    newVault: page,
  }) => {
    await beginItem(page);
    await fill(page, { Title: "Lost", Username: "first" });
    await loseResponseOfPut(page);
    await save(page);
    const failure = page.getByText("The server did not answer.");
    await failure.waitFor();
    for (const width of [390, 834, 1280]) {
      await page.setViewportSize({ width, height: 500 });
      await page.getByLabel("Title", { exact: true }).scrollIntoViewIfNeeded();
      expect(await isInWindow(failure)).toBe(true);
      expect(await isInWindow(page.getByRole("button", { name: "Save", exact: true }))).toBe(true);
    }
    await fill(page, { Username: "second" });
    await save(page);
    await openedItem(page, "Lost").getByText("second").waitFor();
    expect(await itemLink(page, "Lost").count()).toBe(1);
  });

  it("what was typed or pasted is saved byte for byte, and an item is not saved without what was refused", async ({
    demo,
    newVault: page,
  }) => {
    await page.context().grantPermissions(["clipboard-write"]);
    await beginItem(page);
    await save(page);
    await page.getByRole("alert").getByText("Nothing is filled in yet.").waitFor();
    await fill(page, { Website: "https://store.example.com/login", "One-time code": "steam://GEZDGNBVGY3TQOJQ" });
    await page.getByText("Without a title, it is saved as “store.example.com”.").waitFor();
    await save(page);
    const code = openedItem(page, "store.example.com").locator(".one-time-code output");
    await expect.poll(() => code.textContent()).toMatch(/^[2-9B-Y]{5}$/);

    await page.goto(`${demo.origin}/console?new=identity`);
    await page.getByLabel("Birthday", { exact: true }).press("1");
    await save(page);
    await page.getByRole("alert").getByText("This date is not complete.").waitFor();

    await page.goto(`${demo.origin}/console?new=ssh_key`);
    const paste = async (label: string, text: string) => {
      // The clipboard of some systems changes line breaks, so the page gets the event itself.
      await page
        .getByLabel(label, { exact: true })
        .last()
        .evaluate((element, pasted) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", pasted);
          element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
        }, text);
    };
    const title = page.getByLabel("Title", { exact: true });
    await paste("Title", "one\ntwo");
    expect(await title.inputValue()).toBe("one\ntwo");
    await title.clear();
    const privateKey = "-----BEGIN KEY-----\r\nc2VjcmV0\n\r\n-----END KEY-----\n";
    await paste("Private key", privateKey);
    // A new key would take the place of the one that was pasted.
    expect(await page.getByRole("button", { name: "Create a key pair" }).count()).toBe(0);
    const hidden = page.getByLabel("Private key", { exact: true });
    expect(await hidden.getAttribute("type")).toBe("password");
    await hidden.press("ControlOrMeta+Home");
    await hidden.pressSequentially("ab");
    await hidden.press("Backspace");
    await page.evaluate(() => navigator.clipboard.writeText("one\ntwo"));
    await page.getByLabel("Public key", { exact: true }).press("ControlOrMeta+v");
    await page.keyboard.type("!");
    await addField(page, "One-time code");
    await page.getByLabel("One-time code", { exact: true }).fill("otpauth://hotp/A?secret=GEZDGNBVGY3TQOJQ&counter=3");
    await page.getByText("No codes can be made of this.").waitFor();

    await addField(page, "File");
    await page.getByLabel("File", { exact: true }).setInputFiles({
      name: "large.bin",
      mimeType: "",
      buffer: Buffer.alloc(26_001),
    });
    const nameOfFile = page.getByRole("textbox", { name: "Name of the field" }).last();
    await nameOfFile.clear();
    await paste("Name of the field", "one\ntwo");
    expect(await nameOfFile.inputValue()).toBe("one\ntwo");
    await nameOfFile.fill("Scan");
    await paste("Tags", "work\r\nat home");
    const file = page.getByLabel("Scan", { exact: true });
    await save(page);
    const refusal = page.locator(".form-foot").getByText("large.bin has 27 kB.");
    await refusal.waitFor();
    expect(await isInWindow(refusal)).toBe(true);
    expect(await findViolations(page)).toEqual([]);
    await file.setInputFiles({ name: "small.bin", mimeType: "", buffer: Buffer.from("small") });
    await page.getByText("Contains small.bin.").waitFor();
    // Without a title, it is called by its kind.
    await save(page);
    const item = openedItem(page, "SSH key");
    await item.getByText("small.bin").waitFor();
    const tags = () => item.getByLabel("Tags").getByRole("listitem").allTextContents();
    await expect.poll(tags).toEqual(["work", "at home"]);
    const shownValue = (label: string) =>
      item.locator(".field").filter({ hasText: label }).locator(".value").textContent();
    await item.getByRole("button", { name: "Show Private key", exact: true }).click();
    await item.getByText("END KEY").waitFor();
    expect(await shownValue("Private key")).toBe(`a${privateKey}`);
    expect(await shownValue("Public key")).toBe("one\ntwo!");
    await item.getByRole("button", { name: "Show One-time code", exact: true }).click();
    await item.getByText("otpauth://hotp/A").waitFor();
  });

  it("a picture of a QR code becomes a one-time code, chosen, dropped or pasted, and no other picture does", async ({
    demo,
    page,
  }) => {
    const picture = fileURLToPath(new URL("../testing/one-time-code.png", import.meta.url));
    const bytes = await readFile(picture, "base64");
    await openNewVault(page, demo);
    await beginItem(page);
    const secret = page.getByLabel("One-time code", { exact: true });
    const scan = page.getByLabel("Picture of the QR code for One-time code");
    const uri = "otpauth://totp/Bank:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Bank";
    await scan.setInputFiles({ name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("no picture") });
    await page.getByText("This picture cannot be read.").waitFor();
    await scan.setInputFiles({ name: "a.svg", mimeType: "image/svg+xml", buffer: Buffer.from(emptyPicture) });
    await page.getByText(/No QR code was found|cannot be read/).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await scan.setInputFiles(picture);
    await expect.poll(() => secret.inputValue()).toBe(uri);
    await secret.and(page.locator(":focus")).waitFor();
    await page.getByText("The code was read.").waitFor();
    await secret.clear();
    await dropFile(page, scan, picture);
    await expect.poll(() => secret.inputValue()).toBe(uri);
    await secret.clear();
    /** Returns whether the page takes what is pasted, so that the browser does not. */
    const paste = (text: string) =>
      page.getByLabel("Title", { exact: true }).evaluate(
        (element, { base64, text }) => {
          const clipboardData = new DataTransfer();
          const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
          clipboardData.items.add(new File([bytes], "pasted.png", { type: "image/png" }));
          if (text !== "") clipboardData.setData("text/plain", text);
          const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
          return !element.dispatchEvent(event);
        },
        { base64: bytes, text },
      );
    expect(await paste("a cell of a table")).toBe(false);
    expect(await paste("")).toBe(true);
    await expect.poll(() => secret.inputValue()).toBe(uri);
    const named = page.getByRole("textbox", { name: "Name of the field" }).and(page.locator(":focus"));
    for (let times = 0; times < 2; times += 1) {
      await addField(page, "Text");
      await named.waitFor();
      await page.getByRole("button", { name: "Remove Text" }).click();
      await page.getByRole("button", { name: "Add field" }).and(page.locator(":focus")).waitFor();
    }
    await fill(page, { Title: "Bank" });
    await save(page);
    const code = openedItem(page, "Bank").locator(".one-time-code output");
    await expect.poll(() => code.textContent()).toMatch(/^\d{3} \d{3}$/);
  });

  it("deleted items are deleted for ever one by one or all together, or restored together", async ({
    newVault: page,
  }) => {
    await beginItem(page);
    await fill(page, { Title: "Old account", Username: "ada" });
    await save(page);
    await openedItem(page, "Old account").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Deleted" }).click();
    await itemLink(page, "Old account").click();
    await openedItem(page, "Old account").getByRole("button", { name: "Delete for ever" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete “Old account” for ever?" });
    await dialog.getByText("Backups that were made before contain it").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete for ever" }).click();
    await page.getByText("The content was deleted for ever").first().waitFor();
    expect(await page.getByRole("button", { name: "Restore" }).count()).toBe(0);
    expect(await page.content()).not.toContain("Old account");

    await page.getByRole("navigation").getByRole("link", { name: "All items" }).click();
    for (const title of ["One", "Two", "Three"]) {
      await beginItem(page);
      await fill(page, { Title: title });
      await save(page);
      await openedItem(page, title).waitFor();
    }
    for (const title of ["One", "Two", "Three"]) {
      await itemLink(page, title).click();
      await openedItem(page, title).getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByText(`“${title}” deleted`).waitFor();
    }
    await page.getByRole("navigation").getByRole("link", { name: "Deleted" }).click();
    await page.getByRole("checkbox", { name: "Select One" }).click();
    await page.getByRole("checkbox", { name: "Select Two" }).click();
    expect(await findViolations(page)).toEqual([]);
    await withSelected(page, "Restore").click();
    await page.getByRole("region", { name: "Restored 2 of 2 items" }).waitFor();
    await expect.poll(() => page.locator("[data-item]").count()).toBe(1);
    await page.getByRole("button", { name: "Empty" }).click();
    const emptying = page.getByRole("dialog", { name: "Delete “Three” for ever?" });
    await emptying.getByRole("button", { name: "Delete for ever" }).click();
    await page.getByText("Nothing is deleted").waitFor();
  });

  it("needs only the keyboard, and keeps Persian, Arabic and emoji as they are", async ({ newVault: page }) => {
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
    await goWithPalette(page, "new login");
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
  });

  it("works on a phone: the form fits, and Back keeps what was typed", async ({ newVault: page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await beginItem(page);
    await fill(page, { Title: "On the way" });
    await expect.poll(() => draftCount(page)).toBe(1);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.goBack();
    await beginItem(page);
    await page.getByText("This continues what you typed before").waitFor();
    expect(await page.getByLabel("Title", { exact: true }).inputValue()).toBe("On the way");
    await save(page);
    await openedItem(page, "On the way").waitFor();
  });
});

const emptyPicture = '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"/>';

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

/** Drags a file from outside of the browser onto an element, and drops it there. */
async function dropFile(page: Page, target: Locator, file: string): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await target.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const devtools = await page.context().newCDPSession(page);
  const at = { x: x + width / 2, y: y + height / 2, data: { items: [], files: [file], dragOperationsMask: 1 } };
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    await devtools.send("Input.dispatchDragEvent", { type, ...at });
  }
}
