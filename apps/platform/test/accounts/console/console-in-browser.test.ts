import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page, Request } from "playwright-core";
import { describe, expect } from "vitest";
import { itemLink, offlineBanner, openedItem, openVault, waitForVersion } from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";
import { contentOf, place, rewrite, startProgram } from "../testing/start-demo.js";

/** Whether a call waits for a change. */
function isWaiting(request: Request): boolean {
  const body: unknown = request.url().endsWith("/WatchVaults") ? request.postDataJSON() : {};
  return Object(body).waitSeconds > 0;
}

describe("the vault in Chromium", () => {
  it("lists the items of all vaults, decrypted in the browser, finds them, and is accessible", async ({
    demo,
    allItems: page,
  }) => {
    await itemLink(page, "Example API").waitFor();
    expect(await page.title()).toBe("All items · Platform");
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("/");
    await page.keyboard.type("MAIL");
    const titles = () => page.getByRole("list", { name: "Items" }).getByRole("link").allTextContents();
    await expect.poll(titles).toEqual(["Example mail"]);
    await page.getByLabel("Search").fill("nothing of this name");
    await page.getByText("Nothing here contains “nothing of this name”").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.locator("h1").click();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.goto(`${demo.origin}/console/vaults/of-somebody-else`);
    await page.getByText("This vault is not there, or not shared with you any more.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "See all your items" }).click();
    await itemLink(page, "Example API").waitFor();
  });

  it("shows a secret only when the person wants to see it, and removes a copied one after 30 s, and when they sign out", async ({
    demo,
    page,
  }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await page.clock.install();
    await openVault(page, demo);
    await itemLink(page, "Example mail").click();
    const item = openedItem(page, "Example mail");
    await item.getByText("ada@example.com").waitFor();
    expect(await page.content()).not.toContain("correct horse");
    const copy = async () => {
      await item.getByRole("button", { name: "Copy Password" }).click();
      await item.getByRole("button", { name: "Copied for 30 s Password" }).waitFor();
      expect(await clipboard()).toBe("correct horse battery staple");
    };
    await copy();
    expect(await page.content()).not.toContain("correct horse");
    await page.clock.fastForward(2_000);
    await item.getByRole("button", { name: "Copy Password" }).waitFor();
    // The clock of the page also runs by itself, and this machine may be slow.
    await page.clock.fastForward(10_000);
    expect(await clipboard()).toBe("correct horse battery staple");
    await page.clock.fastForward(18_000);
    await expect.poll(clipboard).toBe("");
    await item.getByRole("button", { name: "Show Password" }).click();
    await item.getByText("correct horse battery staple").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await item.getByRole("button", { name: "Hide Password" }).click();
    expect(await page.content()).not.toContain("correct horse");
    await copy();
    await page.getByRole("button", { name: "Demo user" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await expect.poll(clipboard).toBe("");
  });

  it("says why an item cannot be opened, and selects none of these with the others", async ({ demo, page }) => {
    const { content } = await contentOf(demo.vaults);
    await demo.vaults.putItem({ ...place, itemId: "moved", ...content, baseVersion: 0 });
    await demo.vaults.putItem({ ...place, itemId: "not-shared", ...content, wrappedKeys: [], baseVersion: 0 });
    await openVault(page, demo);
    const closed = openedItem(page, "Item that cannot be opened");
    await page.locator("[data-item='demo-vault/moved']").getByRole("link").click();
    await closed.getByText("The content cannot be decrypted").waitFor();
    await page.locator("[data-item='demo-vault/not-shared']").getByRole("link").click();
    await closed.getByText("The item was not shared with you").waitFor();
    await page.getByLabel("Select Example mail").click();
    await page.getByRole("button", { name: "Select all" }).click();
    const readable = await page.getByRole("checkbox", { checked: true }).count();
    await page.getByText(`${readable} of ${readable + 2} selected`).waitFor();
    expect(await page.getByLabel("Select Item that cannot be opened").count()).toBe(0);
    await closed.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("navigation").getByRole("link", { name: "Deleted" }).click();
    await page.locator("[data-item='demo-vault/not-shared']").getByRole("link").click();
    await closed.getByRole("button", { name: "Delete for ever" }).waitFor();
    expect(await page.getByRole("button", { name: "Empty" }).count()).toBe(0);
  });

  it("deletes the version that is shown, undoes it from the toast, and restores it from the deleted items", async ({
    demo,
    page,
  }) => {
    const state = async () => (await demo.vaults.getItem({ ...place, itemId: "demo-card" })).item;
    await openVault(page, demo);
    await itemLink(page, "Example card").click();
    const item = openedItem(page, "Example card");
    await item.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("“Example card” deleted").waitFor();
    await expect.poll(() => itemLink(page, "Example card").count()).toBe(0);
    expect(await state()).toMatchObject({ deleted: true, version: 2 });
    // It stays while it has the focus.
    await page.getByRole("button", { name: "Undo" }).focus();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(state).toMatchObject({ deleted: false, version: 3 });
    await itemLink(page, "Example card").focus();
    await page.keyboard.press("Delete");
    await page.getByText("“Example card” deleted").waitFor();
    await page.getByRole("link", { name: "Deleted" }).click();
    await itemLink(page, "Example card").click();
    await item.getByText(/It is deleted for ever on \w+ \d+, \d{4}/).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await item.getByRole("button", { name: "Restore" }).click();
    await expect.poll(state).toMatchObject({ deleted: false, version: 5 });
    await waitForVersion(item, 5);
  });

  it("says that somebody changed the open item, shows the conflict, and deletes it only if the person decides so", async ({
    demo,
    demoVault: page,
  }) => {
    await itemLink(page, "Example mail").click();
    const item = openedItem(page, "Example mail");
    await waitForVersion(item, 1);
    await rewrite(demo.vaults, "demo-login");
    await item.getByText("Someone changed this item.").waitFor();
    await waitForVersion(item, 1);
    expect(await findViolations(page)).toEqual([]);
    await item.getByRole("button", { name: "Delete", exact: true }).click();
    const conflict = item.getByRole("region", { name: "Someone changed this while you were looking" });
    await conflict.getByText("No field is different").waitFor();
    await conflict.getByRole("row", { name: "Username ada@example.com ada@example.com" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await conflict.getByRole("button", { name: "Keep the new version" }).click();
    await waitForVersion(item, 2);
    await rewrite(demo.vaults, "demo-login");
    await item.getByText("Someone changed this item.").waitFor();
    await item.getByRole("button", { name: "Delete", exact: true }).click();
    await conflict.getByRole("button", { name: "Delete it anyway" }).click();
    await page.getByText("“Example mail” deleted").waitFor();
    const { item: deleted } = await demo.vaults.getItem({ ...place, itemId: "demo-login" });
    expect(deleted).toMatchObject({ deleted: true, version: 4 });
    await page.getByRole("button", { name: "Undo" }).click();
    await itemLink(page, "Example mail").waitFor();
  });

  it("all tabs show changes with one call that waits, which another tab makes when the first hangs or is closed", async ({
    demo,
    page,
  }) => {
    const waiting = new Set<Request>();
    const context = page.context();
    context.on("request", (request) => {
      if (isWaiting(request)) waiting.add(request);
    });
    context.on("requestfinished", (request) => waiting.delete(request));
    context.on("requestfailed", (request) => waiting.delete(request));
    await openVault(page, demo);
    const others = [await context.newPage(), await context.newPage()];
    for (const tab of others) await tab.goto(page.url());
    for (const tab of others) await itemLink(tab, "Example mail").waitFor();
    await expect.poll(() => waiting.size).toBe(1);
    const showNew = async (itemId: string, tabs: readonly Page[]) => {
      const { content } = await contentOf(demo.vaults);
      await demo.vaults.putItem({ ...place, itemId, ...content, baseVersion: 0 });
      for (const tab of tabs) await tab.locator(`[data-item='demo-vault/${itemId}']`).waitFor();
    };
    await showNew("for-all", [page, ...others]);
    expect(waiting.size).toBeLessThanOrEqual(1);
    const first = await context.newCDPSession(page);
    await first.send("Debugger.enable");
    const hangs = new Promise((resolve) => first.once("Debugger.paused", resolve));
    await first.send("Debugger.pause");
    await hangs;
    await showNew("while-the-first-hangs", others);
    await first.send("Debugger.disable");
    await page.locator("[data-item='demo-vault/while-the-first-hangs']").waitFor();
    for (const tab of others) {
      await tab.close();
      await showNew(`without-${others.indexOf(tab)}`, [page, ...others.filter((other) => !other.isClosed())]);
    }
  });

  it("shows changes live, also after a restart of the server", async ({ page }) => {
    const program = await startProgram();
    const first = await program.start();
    await page.clock.install();
    await openVault(page, first);
    await itemLink(page, "Example card").click();
    const item = openedItem(page, "Example card");
    const showNew = async (version: number) => {
      await item.getByRole("button", { name: "Show it as it is now" }).click();
      await waitForVersion(item, version);
    };
    await waitForVersion(item, 1);
    const waits = page.waitForRequest(isWaiting);
    await rewrite(first.vaults, "demo-card");
    await showNew(2);
    await waits;
    // The first call that fails, and another one at once, say so: no timer runs.
    await page.clock.pauseAt(Date.now() + 10_000);
    await first.stop();
    await offlineBanner(page).waitFor();
    await page.clock.resume();
    const { vaults } = await program.start();
    await offlineBanner(page).waitFor({ state: "detached" });
    await rewrite(vaults, "demo-card");
    await showNew(3);
  });
});
