import { signOut } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Locator, Page } from "playwright-core";
import { describe, expect } from "vitest";
import {
  beginItem,
  copiesIn,
  fill,
  itemLink,
  openConsole,
  openedItem,
  openVault,
  save,
} from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";
import { contentOf, place } from "../testing/start-demo.js";

describe("the way around the vault in Chromium", () => {
  it("the frame is there before any script, and names no console", async ({ demo, allItems: page }) => {
    await itemLink(page, "Example mail").waitFor();
    expect(await page.locator("body").textContent()).not.toMatch(/console/i);
    // A kind that nobody can add opens nothing.
    await page.goto(`${demo.origin}/console?new=bogus`);
    await page.getByText("Select an item to see it here.").waitFor();
    await page.route("**/*.js", (route) => route.abort());
    await page.reload();
    await page.getByRole("heading", { name: "Your vault" }).waitFor();
    await page.getByRole("link", { name: "All items" }).waitFor();
    expect(await page.title()).toBe("Your vault · Platform");
    expect(await findViolations(page)).toEqual([]);
    expect(await page.locator("body").textContent()).not.toMatch(/console/i);
  });

  it("on a phone, the first item is near the top, and the Back of the browser leads from an item to the list", async ({
    demo,
    openPerson,
  }) => {
    const { page } = await openPerson({ width: 390 });
    await openConsole(page, demo);
    await itemLink(page, "Alarm code").waitFor();
    const box = await page.locator("[data-item]").first().boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(240);
    await itemLink(page, "Alarm code").click();
    const item = openedItem(page, "Alarm code");
    await item.getByRole("heading", { name: "Alarm code" }).and(page.locator(":focus")).waitFor();
    expect(await itemLink(page, "Alarm code").isVisible()).toBe(false);
    expect(await findViolations(page)).toEqual([]);
    await page.goBack();
    await itemLink(page, "Alarm code").and(page.locator(":focus")).waitFor();
    expect(await item.count()).toBe(0);
    await page.getByRole("button", { name: "Menu" }).click();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "Demo", exact: true }).click();
    await page.getByRole("heading", { name: "Demo", exact: true }).waitFor();
    expect(await page.getByRole("link", { name: "Activity" }).isVisible()).toBe(false);
  });

  it("needs only the keyboard: the palette goes to items and pages, and single keys go through the list, copy, edit and add", async ({
    demo,
    page,
  }) => {
    const focused = page.locator(":focus");
    await openConsole(page, demo);
    await itemLink(page, "Alarm code").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search everything" }).and(focused).waitFor();
    await page.keyboard.type("example");
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("option", { name: "Example API" }).and(page.locator("[aria-selected=true]")).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await openedItem(page, "Example card").waitFor();
    expect(new URL(page.url()).searchParams.get("item")).toBe("demo-vault/demo-card");
    await page.keyboard.press("j");
    await itemLink(page, "Example mail").and(focused).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Example mail" }).and(focused).waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.keyboard.press("c");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("ada@example.com");
    await page.keyboard.press("Shift+C");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("correct horse battery staple");
    await page.keyboard.press("k");
    await itemLink(page, "Example card").and(focused).waitFor();
    // The focused row comes before the open item, also if it has nothing to copy.
    await page.keyboard.press("c");
    await page.keyboard.press("j");
    const copy = page.getByRole("button", { name: "Copy Username of Example mail" });
    await copy.waitFor();
    await page.keyboard.press("c");
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("ada@example.com");
    await page.keyboard.press("Tab");
    await page.locator("[data-item]").getByRole("button").first().and(focused).waitFor();
    await page.keyboard.press("k");
    await page.keyboard.press("e");
    await page.getByLabel("Website", { exact: true }).and(focused).waitFor();
    await page.getByRole("button", { name: "Discard" }).press("Enter");
    await openedItem(page, "Example mail").waitFor();
    await page.keyboard.press("n");
    await page.locator("#new-item-menu").getByRole("link", { name: "Login" }).and(focused).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "New login" }).waitFor();
    await page.getByLabel("Website", { exact: true }).and(focused).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("secur");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/security");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("sign out");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/sign-in**");
  });

  it("with Control, an item opens in a tab of its own, and this page stays as it is", async ({ allItems: page }) => {
    const [tab] = await Promise.all([
      page.context().waitForEvent("page"),
      itemLink(page, "Example card").click({ modifiers: ["Control"] }),
    ]);
    await openedItem(tab, "Example card").waitFor();
    expect(new URL(page.url()).searchParams.has("item")).toBe(false);
  });

  it("copies from a row under the pointer and with a click on a value, and lists what was used last on top of all items", async ({
    demo,
    page,
  }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await openConsole(page, demo);
    await itemLink(page, "Example mail").hover();
    await page.getByRole("button", { name: "Copy Password of Example mail" }).click();
    await expect.poll(clipboard).toBe("correct horse battery staple");
    expect(await findViolations(page)).toEqual([]);
    await itemLink(page, "Example card").click();
    // Its button covers the line.
    await openedItem(page, "Example card").getByText("2030-12").click({ force: true });
    await expect.poll(clipboard).toBe("2030-12");
    await page.getByRole("link", { name: "Activity" }).click();
    await page.getByRole("link", { name: "All items" }).click();
    const recent = page.getByRole("navigation", { name: "Recently used" }).getByRole("link");
    await expect.poll(() => recent.allTextContents()).toEqual(["Example card", "Example mail"]);
    expect(await findViolations(page)).toEqual([]);
    const kept = async () =>
      (await copiesIn(page)).filter((record) => record.startsWith("platform-vault-copies recent"));
    await expect
      .poll(kept)
      .toEqual([`platform-vault-copies recent ${JSON.stringify(["demo-vault/demo-card", "demo-vault/demo-login"])}`]);
    await signOut(page);
    expect(await kept()).toEqual([]);
  });

  it("a viewer sees items, and nothing that would be refused", async ({ demo, page }) => {
    const member = { ...place, principalId: "demo-user" };
    await demo.vaults.setVaultMember({ ...member, role: "viewer" });
    await openVault(page, demo);
    await itemLink(page, "Example card").click();
    const item = openedItem(page, "Example card");
    await item.getByText("View only").waitFor();
    expect(await page.getByRole("button", { name: /Delete/ }).count()).toBe(0);
    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await page.goto(`${page.url()}&edit=true`);
    await item.getByText("View only").waitFor();
    await demo.vaults.setVaultMember({ ...member, role: "owner" });
  });

  it("asks before it deletes an item that nobody can restore", async ({ demo, page }) => {
    const vault = { tenantId: place.tenantId, vaultId: "no-retention" };
    await demo.vaults.createVault({ ...vault, retentionDays: 0 });
    await demo.vaults.setVaultMember({ ...vault, principalId: "demo-user", role: "owner" });
    const { content } = await contentOf(demo.vaults);
    await demo.vaults.putItem({ ...vault, itemId: "a", ...content, baseVersion: 0 });
    const state = async () => (await demo.vaults.getItem({ ...vault, itemId: "a" })).item?.deleted;
    await openConsole(page, demo);
    await page.getByRole("link", { name: "no-retention" }).click();
    await page.locator("[data-item='no-retention/a']").getByRole("link").click();
    await page.getByText("Once it is deleted, it cannot be restored.").waitFor();
    await page.keyboard.press("Delete");
    const dialog = page.getByRole("dialog", { name: "Delete 1 item?" });
    await dialog.getByText("Nothing deleted here can be restored.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await state()).toBe(false);
    await page.getByRole("article").getByRole("button", { name: "Delete", exact: true }).click();
    await dialog.getByRole("button", { name: "Delete 1 item" }).click();
    await page.getByText("“Item that cannot be opened” deleted").waitFor();
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    expect(await state()).toBe(true);
  });

  it("a new person is offered to import, every kind of item, and nothing else but the button in the corner", async ({
    demo,
    newVault: page,
  }) => {
    const offered = page.getByRole("navigation", { name: "Add items" }).getByRole("link");
    const kinds = ["Login", "Secure note", "Card", "Identity", "SSH key", "API key", "Small file"];
    expect(await offered.allTextContents()).toEqual([expect.stringMatching(/^Import/), ...kinds]);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("main").getByRole("link", { name: "Connect an agent" }).waitFor();
    const corner = page.getByRole("button", { name: "New item" });
    const menu = page.locator("#new-item-menu");
    for (const width of [390, 834, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.keyboard.press("n");
      await menu.getByRole("link", { name: "Login" }).and(page.locator(":focus")).waitFor();
      const [button, opened] = [await edges(corner), await edges(menu)];
      expect(opened.top).toBe(button.bottom + 4);
      expect(opened.left === button.left || opened.right === button.right, `${width} px`).toBe(true);
      await page.keyboard.press("Escape");
    }
    await page.getByRole("link", { name: "Agents & apps" }).click();
    await page.getByRole("button", { name: "Connect an agent" }).click();
    const dialog = page.getByRole("dialog", { name: "Connect an agent" });
    await dialog.getByText(new RegExp(`main.js login --url ${demo.publicUrl}$`)).waitFor();
    await dialog.getByText("main.js broker").waitFor();
    await dialog.getByText(`claude mcp add platform-local --env PLATFORM_URL=${demo.publicUrl} --`).waitFor();
    expect(await findViolations(page)).toEqual([]);
  });

  it("nothing leaves its card, and dots and codes stay in one line, at any width, also with the longest values", async ({
    newVault: page,
  }) => {
    await beginItem(page);
    const long = "Wi".repeat(200);
    await fill(page, {
      Title: long,
      Username: `${long}@example.com`,
      Password: long,
      Website: `https://example.com/${long}`,
      "One-time code": "otpauth://totp/Bank:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=8",
      Notes: long,
      Tags: long,
    });
    await save(page);
    await openedItem(page, long)
      .getByText(/^\d{4} \d{4}$/)
      .waitFor();
    const pages: readonly (readonly [name: string, open: () => Promise<void>])[] = [
      ["item", async () => {}],
      ["form", () => openedItem(page, long).getByRole("link", { name: "Edit" }).click()],
      ["agents", () => page.getByRole("link", { name: "Agents & apps" }).click()],
      ["security", () => page.getByRole("link", { name: "Security" }).click()],
      ["activity", () => page.getByRole("link", { name: "Activity" }).click()],
    ];
    for (const [name, open] of pages) {
      await open();
      await page
        .getByRole("heading", { level: name === "form" ? 2 : 1 })
        .first()
        .waitFor();
      // 200 % zoom halves the width.
      for (const width of [320, 390, 640, 768, 800, 834, 1024, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await findOutside(page), `${name} at ${width} px`).toEqual([]);
      }
    }
  });
});

/** Returns the edges of an element, in whole pixels. */
function edges(locator: Locator) {
  return locator.evaluate((element) => {
    const { top, right, bottom, left } = element.getBoundingClientRect();
    return { top: Math.round(top), right: Math.round(right), bottom: Math.round(bottom), left: Math.round(left) };
  });
}

/** Returns what reaches over the right edge of its card, pane or window, unless something cuts it off, and dots or codes of several lines. */
function findOutside(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const range = document.createRange();
    const nodes = document.createTreeWalker(document.body);
    for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
      let inside = node.parentElement;
      while (inside !== null && !inside.matches(".card, .detail, body")) {
        inside = getComputedStyle(inside).overflowX === "visible" ? inside.parentElement : null;
      }
      range.selectNode(node);
      const { right } = (node instanceof Element ? node : range).getBoundingClientRect();
      const isOutside = inside !== null && right > inside.getBoundingClientRect().right + 0.5;
      if (isOutside) found.push(`${node.nodeName} ${node.parentElement?.className} ${node.textContent?.slice(0, 20)}`);
    }
    for (const word of document.querySelectorAll(".value > [aria-hidden], .one-time-code > .value")) {
      range.selectNodeContents(word);
      if (range.getClientRects().length > 1) found.push(`lines: ${word.textContent}`);
    }
    return found;
  });
}
