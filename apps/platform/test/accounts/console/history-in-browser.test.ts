import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { beginItem, fill, openedItem, save } from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";
import { contentOf, place } from "../testing/start-demo.js";

const edit = async (page: Page, fields: Readonly<Record<string, string>>) => {
  await openedItem(page, "Bank").getByRole("link", { name: "Edit" }).click();
  await fill(page, fields);
  await save(page);
  await openedItem(page, "Bank").waitFor();
};

describe("the history of an item, in Chromium", () => {
  it("lists what was replaced, compares it with today, shows replaced passwords, and brings a content back, also over one that cannot be opened", async ({
    demo,
    newVault: page,
  }) => {
    await beginItem(page);
    await fill(page, { Title: "Bank", Username: "ada", Password: "first of all" });
    await save(page);
    const item = openedItem(page, "Bank");
    await item.getByText("ada").waitFor();
    expect(await item.getByRole("button", { name: "History" }).count()).toBe(0);
    await edit(page, { Password: "second to none" });
    await edit(page, { Username: "lovelace" });

    await page.setViewportSize({ width: 390, height: 800 });
    await item.getByRole("button", { name: "History" }).click();
    const history = page.getByRole("dialog", { name: "History" });
    const contents = history.getByRole("list", { name: "Earlier contents" }).getByRole("listitem");
    await contents.nth(1).waitFor();
    expect(await contents.count()).toBe(2);
    expect(await history.getByRole("heading", { name: "Passwords replaced" }).count()).toBe(1);
    expect(await page.content()).not.toContain("first of all");
    await history.getByRole("button", { name: /^Show the password replaced/ }).click();
    await history.getByText("first of all").waitFor();
    // By keyboard.
    await contents
      .nth(1)
      .getByRole("button", { name: /^Compare/ })
      .focus();
    await page.keyboard.press("Enter");
    await contents.nth(1).getByRole("cell", { name: "lovelace" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await history.waitFor({ state: "detached" });

    await item.getByRole("button", { name: "History" }).click();
    await contents
      .nth(1)
      .getByRole("button", { name: /^Compare/ })
      .click();
    await contents
      .nth(1)
      .getByRole("button", { name: /^Bring back/ })
      .click();
    await history.waitFor({ state: "detached" });
    await item.getByText("ada").waitFor();
    await item.getByRole("button", { name: "Show Password", exact: true }).click();
    await item.getByText("first of all").waitFor();
    expect(await page.getByText("Not verified").count()).toBe(0);
    // What it has replaced is in the history.
    await item.getByRole("button", { name: "History" }).click();
    await contents.nth(2).waitFor();
    await contents
      .nth(0)
      .getByRole("button", { name: /^Compare/ })
      .click();
    await contents.nth(0).getByRole("cell", { name: "lovelace" }).waitFor();
    await page.keyboard.press("Escape");
    await page.reload();
    await item.getByText("ada").waitFor();
    expect(await page.getByText("Older than what you saw").count()).toBe(0);

    const [vaultId = "", itemId = ""] = new URL(page.url()).searchParams.get("item")?.split("/") ?? [];
    const { content } = await contentOf(demo.vaults);
    await demo.vaults.putItem({ ...place, vaultId, itemId, ...content, baseVersion: 4 });
    await page.getByRole("button", { name: "Show it as it is now" }).click();
    const closed = openedItem(page, "Item that cannot be opened");
    await page.context().setOffline(true);
    await closed.getByRole("button", { name: "History" }).click();
    await history.getByRole("alert").getByText("The server did not answer").waitFor();
    await page.context().setOffline(false);
    await page.keyboard.press("Escape");
    await closed.getByRole("button", { name: "History" }).click();
    const newest = contents.nth(0);
    await newest.getByRole("button", { name: /^Compare/ }).click();
    await newest.getByRole("button", { name: /^Bring back/ }).click();
    await item.getByText("ada").waitFor();
  });
});
