import { readFile } from "node:fs/promises";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { describe, expect } from "vitest";
import { itemLink, openedItem } from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";

describe("the page Activity of the console", () => {
  it("lists what the person did, filters it, and exports it", async ({ demoVault: page }) => {
    await itemLink(page, "Example card").click();
    await openedItem(page, "Example card").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("“Example card” deleted").waitFor();

    await page.getByRole("link", { name: "Activity" }).press("Enter");
    const acts = page.getByRole("main").getByRole("heading", { level: 3 });
    const told = () => acts.allTextContents();
    await expect.poll(async () => (await told())[0]).toBe("Deleted Example card");
    const day = await page.getByRole("region", { name: "Today" }).textContent();
    // The ids are in a fold.
    expect(day).toMatch(/Details *item:demo-vault\/demo-card, version 2, deleted\. platform\.accounts\.v1/);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "Example card" }).click();
    await page.getByRole("heading", { name: "Example card" }).waitFor();
    await page.getByText("What was done with it").click();
    await expect.poll(async () => (await told()).at(0)).toBe("Deleted Example card");
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "Show all activity" }).click();
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    await expect.poll(async () => (await told()).every((words) => words.endsWith("Example card"))).toBe(true);
    await page.getByRole("button", { name: "Clear the filters" }).click();

    await page.getByRole("button", { name: "Sign-ins" }).click();
    await expect.poll(async () => (await told())[0]).toMatch(/^Signed in with a recovery code in Chrome on Linux/);
    expect(await told()).not.toContain("Deleted Example card");
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as CSV" }).press("Enter");
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^activity-\d{4}-\d\d-\d\d\.csv$/);
    const csv = await readFile(await download.path(), "utf8");
    const [head, first, ...rest] = csv.split("\r\n");
    expect(head).toBe("Time,Who,Software,What,Operation,Subject,Event,Version,Request id");
    expect(first).toMatch(/Z,You,,"Signed in with a recovery code in .*",accounts\/sign-in,account:/);
    await page.getByText(`The file has ${rest.length} entries.`).waitFor();

    await page.getByText("Dates, vaults and people").click();
    await page.getByLabel("Until").fill("2020-01-01");
    await page.getByText("Nothing that happened matches these filters.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await page.getByLabel("Vault", { exact: true }).selectOption("demo-vault");
    await page.getByLabel("Who").selectOption("Only me");
    await expect.poll(told).toEqual(["Deleted Example card"]);
  });
});
