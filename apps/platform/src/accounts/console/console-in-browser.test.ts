import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { beforeAll, describe, expect, it } from "vitest";
import {
  badge,
  type DemoInBrowser,
  itemLink,
  openConsole,
  openedItem,
  openVault,
  place,
  rewrite,
  startDemo,
  startProgram,
} from "../testing/console-steps.js";

const wide = { width: 1024, height: 800 };

describe.skipIf(withoutChromium)("the vault in Chromium", () => {
  let demo: DemoInBrowser;
  beforeAll(async () => {
    demo = await startDemo();
    return () => demo[Symbol.asyncDispose]();
  });

  it("lists the items of all vaults, decrypted in the browser, finds them, and is accessible", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openConsole(page, demo);
    await itemLink(page, "Example API").waitFor();
    expect(await page.title()).toBe("All items · Platform");
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await page.keyboard.press("/");
    await page.keyboard.type("MAIL");
    const titles = () => page.getByRole("list", { name: "Items" }).getByRole("link").allTextContents();
    await expect.poll(titles).toEqual(["Example mail"]);
    await page.getByLabel("Search").fill("nothing of this name");
    await page.getByText("Nothing here contains “nothing of this name”").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
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
    expect(problems).toEqual([]);
  });

  it("shows a secret only when the person wants to see it, and removes a copied one after 30 s", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await page.clock.install();
    await openVault(page, demo);
    await itemLink(page, "Example mail").click();
    const item = openedItem(page, "Example mail");
    await item.getByText("ada@example.com").waitFor();
    expect(await page.content()).not.toContain("correct horse");
    await item.getByRole("button", { name: "Copy Password" }).click();
    await item.getByText("Copied").waitFor();
    expect(await clipboard()).toBe("correct horse battery staple");
    expect(await page.content()).not.toContain("correct horse");
    await page.clock.fastForward(29_000);
    expect(await clipboard()).toBe("correct horse battery staple");
    await page.clock.fastForward(1_000);
    await expect.poll(clipboard).toBe("");
    await item.getByRole("button", { name: "Show Password" }).click();
    await item.getByText("correct horse battery staple").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await item.getByRole("button", { name: "Hide Password" }).click();
    expect(await page.content()).not.toContain("correct horse");
    expect(problems).toEqual([]);
  });

  it("says why an item cannot be opened", async () => {
    const { item } = await demo.vaults.getItem({ ...place, itemId: "demo-note" });
    if (item?.encryptedPayload === undefined) throw new Error("the demo's note is missing");
    const { kind, titleHash, encryptedPayload, wrappedKeys } = item;
    const elsewhere = { ...place, itemId: "moved", baseVersion: 0, kind, titleHash, encryptedPayload };
    await demo.vaults.putItem({ ...elsewhere, wrappedKeys });
    await demo.vaults.putItem({ ...elsewhere, itemId: "not-shared", wrappedKeys: [] });
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openVault(page, demo);
    const closed = openedItem(page, "Item that cannot be opened");
    await page.locator("[data-item='demo-vault/moved']").getByRole("link").click();
    await closed.getByText("The content cannot be decrypted").waitFor();
    await page.locator("[data-item='demo-vault/not-shared']").getByRole("link").click();
    await closed.getByText("The item was not shared with you").waitFor();
    expect(problems).toEqual([]);
  });

  it("deletes the version that is shown, undoes it from the toast, and restores it from the deleted items", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    const state = async () => (await demo.vaults.getItem({ ...place, itemId: "demo-card" })).item;
    await openVault(page, demo);
    await itemLink(page, "Example card").click();
    const item = openedItem(page, "Example card");
    await item.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("“Example card” deleted").waitFor();
    await expect.poll(() => itemLink(page, "Example card").count()).toBe(0);
    expect(await state()).toMatchObject({ deleted: true, version: 2 });
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(state).toMatchObject({ deleted: false, version: 3 });
    await itemLink(page, "Example card").focus();
    await page.keyboard.press("Delete");
    await page.getByText("“Example card” deleted").waitFor();
    await page.getByRole("link", { name: "Deleted" }).click();
    await itemLink(page, "Example card").click();
    await item.getByText(/It is deleted for ever on \w+ \d+, \d{4}/).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await item.getByRole("button", { name: "Restore" }).click();
    await expect.poll(state).toMatchObject({ deleted: false, version: 5 });
    await item.getByText("Version 5.").waitFor();
    expect(problems).toEqual([]);
  });

  it("the toast goes after 8 s, but not while the person points at it", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await page.clock.install();
    await openVault(page, demo);
    await itemLink(page, "Example API").click();
    await openedItem(page, "Example API").getByRole("button", { name: "Delete", exact: true }).click();
    const toast = page.getByText("“Example API” deleted");
    await toast.hover();
    await page.clock.fastForward(60_000);
    await toast.waitFor();
    await page.locator("h1").hover();
    await page.clock.fastForward(8_000);
    await toast.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("says that somebody changed the open item, shows the conflict, and deletes it only if the person decides so", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openVault(page, demo);
    await itemLink(page, "Example mail").click();
    const item = openedItem(page, "Example mail");
    await item.getByText("Version 1.").waitFor();
    await rewrite(demo.vaults, "demo-login");
    await item.getByText("Someone changed this item.").waitFor();
    await item.getByText("Version 1.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await item.getByRole("button", { name: "Delete", exact: true }).click();
    const conflict = item.getByRole("region", { name: "Someone changed this while you were looking" });
    await conflict.getByText("No field is different").waitFor();
    await conflict.getByRole("row", { name: "Username ada@example.com ada@example.com" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await conflict.getByRole("button", { name: "Keep the new version" }).click();
    await item.getByText("Version 2.").waitFor();
    await rewrite(demo.vaults, "demo-login");
    await item.getByText("Someone changed this item.").waitFor();
    await item.getByRole("button", { name: "Delete", exact: true }).click();
    await conflict.getByRole("button", { name: "Delete it anyway" }).click();
    await page.getByText("“Example mail” deleted").waitFor();
    const { item: deleted } = await demo.vaults.getItem({ ...place, itemId: "demo-login" });
    expect(deleted).toMatchObject({ deleted: true, version: 4 });
    await page.getByRole("button", { name: "Undo" }).click();
    await itemLink(page, "Example mail").waitFor();
    expect(problems).toEqual([]);
  });

  it("shows changes live, also after a pause and a restart of the server", async () => {
    const program = await startProgram();
    const first = await program.start();
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openVault(page, first);
    await itemLink(page, "Example card").click();
    const item = openedItem(page, "Example card");
    const showNew = async (version: number) => {
      await item.getByRole("button", { name: "Show it as it is now" }).click();
      await item.getByText(`Version ${version}.`).waitFor();
    };
    await item.getByText("Version 1.").waitFor();
    await badge(page, "Up to date").waitFor();
    await rewrite(first.vaults, "demo-card");
    await showNew(2);
    await page.getByRole("button", { name: "Demo user" }).click();
    await page.getByRole("link", { name: "Developer" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    await badge(page, "Paused").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(wide);
    await rewrite(first.vaults, "demo-card");
    await page.goBack();
    await item.getByText("Version 2.").waitFor();
    await page.goForward();
    await page.getByRole("button", { name: "Resume" }).click();
    await badge(page, "Up to date").waitFor();
    await page.goBack();
    await item.getByText("Version 3.").waitFor();
    await first.stop();
    await page.getByText(/^Offline: this is what was loaded at \d\d:\d\d. Trying again.$/).waitFor();
    const { vaults } = await program.start();
    await badge(page, "Up to date").waitFor();
    await rewrite(vaults, "demo-card");
    await showNew(4);
    // The browser reports the connections that the stopped server refused.
    expect(problems.filter((problem) => !problem.includes("ERR_CONNECTION"))).toEqual([]);
  });
});
