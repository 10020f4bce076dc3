import { readFile } from "node:fs/promises";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { describe, expect } from "vitest";
import { itemLink, openedItem, openVault } from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";

describe("the page Activity of the console", () => {
  it("lists what the person did, filters it, and exports it", async ({ demo, page }) => {
    await openVault(page, demo);
    await itemLink(page, "Example card").click();
    await openedItem(page, "Example card").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("“Example card” deleted").waitFor();

    await page.getByRole("link", { name: "Activity" }).press("Enter");
    const entries = page.getByRole("list").filter({ hasText: "Signed in with recovery code" }).getByRole("listitem");
    await entries.first().waitFor();
    const newest = await entries.first().textContent();
    expect(newest).toMatch(
      /^Deleted an item.*You.*item:demo-vault\/demo-card, version 2, deleted\. platform\.accounts\.v1\.MemberVaultService/,
    );
    expect(await findViolations(page)).toEqual([]);

    await page.getByLabel("Operation").selectOption("Sign in");
    await expect
      .poll(() => page.getByRole("main").getByRole("heading", { level: 3 }).allTextContents())
      .toEqual(["Signed in with recovery code"]);
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as CSV" }).press("Enter");
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^activity-\d{4}-\d\d-\d\d\.csv$/);
    const csv = await readFile(await download.path(), "utf8");
    expect(csv.split("\r\n")).toEqual([
      "Time,Who,Software,What,Operation,Subject,Event,Version,Request id",
      expect.stringMatching(/Z,You,,Signed in with recovery code,accounts\/sign-in,account:/),
      "",
    ]);
    await page.getByText("The file has 1 entry.").waitFor();

    await page.getByLabel("Until").fill("2020-01-01");
    await page.getByText("Nothing that happened matches these filters.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByLabel("Vault", { exact: true }).selectOption("demo-vault");
    await page.getByLabel("Who").selectOption("Only me");
    await expect
      .poll(() => page.getByRole("main").getByRole("heading", { level: 3 }).allTextContents())
      .toEqual(["Deleted an item"]);
  });
});
