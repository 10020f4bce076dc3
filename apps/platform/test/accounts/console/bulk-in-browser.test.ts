import { readFile } from "node:fs/promises";
import { openPersonPage } from "@platform-rpc/accounts/testing/browser";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { loseResponseOfPut, openConsole, waitForVersion, withSelected } from "../testing/console-steps.js";
import { it, withApp } from "../testing/in-browser.js";
import { type Demo, place, rewrite } from "../testing/start-demo.js";

const ids = ["1", "2", "3", "4", "5", "6", "7", "8"].map((number) => `bulk-${number}`);

const title = "One of many";

const deleteItems = "**/platform.accounts.v1.MemberVaultService/DeleteItems";

const link = (page: Page, id: string) => page.locator(`[data-item="demo-vault/${id}"]`).getByRole("link");
const checkbox = (page: Page, id: string) => page.locator(`[data-item="demo-vault/${id}"]`).getByRole("checkbox");

describe("bulk deletion in Chromium", () => {
  withApp.beforeAll(async ({ demo, chromium }) => {
    const { page, close } = await openPersonPage(chromium);
    await openConsole(page, demo);
    const { write } = await demo.openWriter(page);
    for (const itemId of ids) await write({ vaultId: place.vaultId, itemId, title });
    await close();
  });
  const deletedOf = ({ vaults }: Demo) =>
    Promise.all(ids.map(async (itemId) => (await vaults.getItem({ ...place, itemId })).item?.deleted));

  it("deletes the selected versions, lists a conflict, tries failed ones again, and restores all", async ({
    demo,
    demoVault: page,
  }) => {
    await page.getByLabel("Search").fill(title);
    await checkbox(page, "bulk-2").click();
    await checkbox(page, "bulk-7").click({ modifiers: ["Shift"] });
    await page.getByText("6 of 8 selected").waitFor();
    await checkbox(page, "bulk-4").click();
    await page.getByRole("button", { name: "Select all" }).click();
    await page.getByText("8 of 8 selected").waitFor();
    expect(await findViolations(page)).toEqual([]);

    await rewrite(demo.vaults, "bulk-3");
    // One of the items is not there for the server.
    let calls = 0;
    await page.route(deleteItems, (route) => {
      calls += 1;
      return route.continue({ postData: route.request().postData()?.replace('"bulk-5"', '"bulk-9"') ?? "" });
    });
    await withSelected(page, "Delete").click();
    const dialog = page.getByRole("dialog", { name: "Delete 8 items?" });
    await dialog.getByText("and 3 more").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete 8 items" }).click();
    const panel = page.getByRole("region", { name: "Deleted 6 of 8 items" });
    await panel.getByText("1 item changed in the meantime").waitFor();
    await panel.getByText("1 item failed").waitFor();
    await panel.getByText("Details for support").click();
    await panel.getByText("This item is not there any more.").waitFor();
    await panel.getByText("ITEM_NOT_FOUND").waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(calls).toBe(1);
    expect(await deletedOf(demo)).toEqual(ids.map((id) => id !== "bulk-3" && id !== "bulk-5"));

    await page.unroute(deleteItems);
    await panel.getByRole("button", { name: "Try again" }).click();
    const tried = page.getByRole("region", { name: "Deleted 7 of 8 items" });
    await tried.getByRole("button", { name: title }).click();
    const conflict = page.getByRole("region", { name: "Someone changed this while you were looking" });
    await conflict.getByRole("button", { name: "Keep the new version" }).click();
    await waitForVersion(page.getByRole("article"), 2);
    expect((await deletedOf(demo))[2]).toBe(false);

    await tried.getByRole("button", { name: "Undo" }).click();
    const restored = page.getByRole("region", { name: "Restored 7 of 7 items" });
    await restored.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => page.locator("[data-item]").count()).toBe(8);
    expect(await deletedOf(demo)).toEqual(ids.map(() => false));
  });

  it("tags what is selected, exports only that, and Escape selects nothing any more", async ({ demoVault: page }) => {
    await page.getByLabel("Search").fill(title);
    const select = async () => {
      await checkbox(page, "bulk-1").click();
      await checkbox(page, "bulk-2").click();
    };
    await link(page, "bulk-1").click();
    const tags = page.getByRole("article", { name: title }).getByLabel("Tags").getByRole("listitem");
    await select();
    await withSelected(page, "Tag").click();
    const dialog = page.getByRole("dialog", { name: "Tag 2 items" });
    await dialog.getByLabel("Tag", { exact: true }).fill("urgent,home");
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("region", { name: "Tagged 2 of 2 items" }).waitFor();
    // Nobody else has changed the open item.
    await expect.poll(() => tags.allTextContents()).toEqual(["urgent", "home"]);
    await page.getByLabel("Search").fill("urgent");
    await expect.poll(() => page.locator("[data-item]").count()).toBe(2);

    await select();
    await withSelected(page, "Export").click();
    const exporting = page.getByRole("dialog", { name: "Export 2 items" });
    await exporting.getByText("2 items will be exported.").waitFor();
    await exporting.getByLabel("Bitwarden JSON").check();
    expect(await findViolations(page)).toEqual([]);
    const downloading = page.waitForEvent("download");
    await exporting.getByRole("button", { name: "Export", exact: true }).click();
    const { items } = JSON.parse(await readFile(await (await downloading).path(), "utf8"));
    expect(items).toHaveLength(2);
    await page.keyboard.press("Escape");
    await exporting.waitFor({ state: "detached" });
    await page.getByText("2 of 2 selected").waitFor();

    await withSelected(page, "Tag").click();
    await dialog.getByLabel("Tag", { exact: true }).fill("home, urgent");
    expect(await dialog.getByRole("button", { name: "Add", exact: true }).isDisabled()).toBe(true);
    await loseResponseOfPut(page);
    await dialog.getByRole("button", { name: "Remove urgent" }).click();
    await page.getByText("Removed the tag from 1 of 2 items").first().waitFor();
    await expect.poll(() => page.locator("[data-item]").count()).toBe(0);
    await page.getByRole("button", { name: "Try again" }).click();
    const removed = page.getByRole("region", { name: "Removed the tag from 2 of 2 items" });
    await removed.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("region", { name: "Tagged 2 of 2 items" }).waitFor();
    await expect.poll(() => tags.allTextContents()).toEqual(["home", "urgent"]);
    await page.getByLabel("Search").fill(title);
    await select();
    await withSelected(page, "Export").focus();
    await page.keyboard.press("Escape");
    await page.getByText(/ of 8 selected/).waitFor({ state: "detached" });
    await link(page, "bulk-2").and(page.locator(":focus")).waitFor();
  });

  it("needs only the keyboard, and shows its progress", async ({ demo, demoVault: page }) => {
    const held = await holdCalls(page, deleteItems);
    await selectAll(page);
    await withSelected(page, "Delete").focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Delete 8 items?" });
    await dialog.getByRole("button", { name: "Delete 8 items" }).focus();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("region", { name: "Deleting 8 items" });
    await panel.getByRole("heading").and(page.locator(":focus")).waitFor();
    expect(await panel.getByRole("progressbar", { name: "Deleting 8 items" }).getAttribute("value")).toBe("0");
    expect(await findViolations(page)).toEqual([]);
    held.resolve();
    const deleted = page.getByRole("region", { name: "Deleted 8 of 8 items" });
    await deleted.getByRole("heading").and(page.locator(":focus")).waitFor();
    expect(await deletedOf(demo)).toEqual(ids.map(() => true));

    await page.keyboard.press("u");
    await page.getByRole("region", { name: "Restored 8 of 8 items" }).waitFor();
    expect(await deletedOf(demo)).toEqual(ids.map(() => false));
  });
});

/** Selects all items with the keyboard. */
async function selectAll(page: Page): Promise<void> {
  await page.keyboard.press("/");
  await page.keyboard.type(title);
  await expect.poll(() => page.locator("[data-item]").count()).toBe(8);
  await link(page, "bulk-1").focus();
  await page.keyboard.press("x");
  for (let down = 0; down < 7; down += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+X");
  await page.getByText("8 of 8 selected").waitFor();
}

/** Holds the calls of an operation until the promise is resolved. */
async function holdCalls(page: Page, pattern: string): Promise<PromiseWithResolvers<void>> {
  const held = Promise.withResolvers<void>();
  await page.route(pattern, async (route) => {
    await held.promise;
    await route.continue();
  });
  return held;
}
