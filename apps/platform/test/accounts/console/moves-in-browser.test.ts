import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { beginItem, createVault, fill, itemLink, openedItem, save } from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";

const moveItem = "**/platform.accounts.v1.MemberVaultService/MoveItem";

const openPlace = async (page: Page, name: string) => {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
};

const addItem = async (page: Page, title: string, fields: Readonly<Record<string, string>>) => {
  await beginItem(page);
  await fill(page, { Title: title, ...fields });
  await save(page);
  await openedItem(page, title).waitFor();
};

describe("items that move to another vault, in Chromium", () => {
  it("an item moves once, with its history, also if the response of the server is lost; a copy stays and has none", async ({
    newVault: page,
  }) => {
    await addItem(page, "Bank", { Username: "ada", Password: "first of all" });
    await openedItem(page, "Bank").getByRole("link", { name: "Edit" }).click();
    await fill(page, { Password: "second to none" });
    await save(page);
    await createVault(page, "Family");
    await openPlace(page, "Personal");
    await itemLink(page, "Bank").click();

    let lost = 0;
    await page.route(moveItem, async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    await openedItem(page, "Bank").getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Move to…" }).click();
    const dialog = page.getByRole("dialog", { name: "Move “Bank” to another vault" });
    await dialog.getByLabel("Vault").waitFor();
    expect(await dialog.getByLabel("Vault").locator("option").allTextContents()).toEqual(["Family"]);
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    expect(lost).toBe(1);
    const item = openedItem(page, "Bank");
    await item.getByText("Login · Family").waitFor();
    await openPlace(page, "Family");
    await itemLink(page, "Bank").click();
    expect(await page.locator("[data-item]").count()).toBe(1);
    await item.getByRole("button", { name: "History" }).click();
    const history = page.getByRole("dialog", { name: "History" });
    await history.getByRole("button", { name: /^Show the password replaced/ }).click();
    await history.getByText("first of all").waitFor();
    await page.keyboard.press("Escape");

    await item.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Copy to…" }).click();
    const copying = page.getByRole("dialog", { name: "Copy “Bank” to another vault" });
    await copying.getByLabel("Vault").selectOption({ label: "Personal" });
    await copying.getByRole("button", { name: "Copy", exact: true }).click();
    await copying.waitFor({ state: "detached" });
    await item.getByText("Login · Personal").waitFor();
    expect(await item.getByRole("button", { name: "History" }).count()).toBe(0);
    await openPlace(page, "All items");
    await expect.poll(() => itemLink(page, "Bank").count()).toBe(2);
    expect(await page.getByText(/Not verified|than what you saw|Does not continue/).count()).toBe(0);
    await openPlace(page, "Deleted");
    await itemLink(page, "Bank").waitFor();
    expect(await itemLink(page, "Bank").count()).toBe(1);
  });

  it("the selected items move together, at the width of a phone", async ({ newVault: page }) => {
    for (const title of ["One", "Two"]) await addItem(page, title, { Username: "ada" });
    await createVault(page, "Family");
    await openPlace(page, "Personal");
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole("checkbox", { name: /One/ }).click();
    await page.getByRole("button", { name: "Select all" }).click();
    await page.getByRole("group", { name: "Selected items" }).getByRole("button", { name: "Move" }).click();
    const dialog = page.getByRole("dialog", { name: "Move 2 items to another vault" });
    await dialog.getByLabel("Vault").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Move 2 items" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1280, height: 900 });
    await openPlace(page, "Family");
    for (const title of ["One", "Two"]) await itemLink(page, title).waitFor();
  });
});
