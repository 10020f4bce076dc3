import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { type DemoInBrowser, openConsole, openVault, rewrite, startDemo } from "../testing/console-steps.js";

const accessPart = "**/console/assets/access-page-*.js";

/** Opens the page before the browser was idle: its parts are loaded when they are shown. */
async function openBusy(page: Page, demo: DemoInBrowser): Promise<void> {
  await page.addInitScript(() => {
    globalThis.requestIdleCallback = () => 0;
  });
  await openConsole(page, demo);
  await page.getByRole("link", { name: "demo-vault" }).waitFor();
}

describe.skipIf(withoutChromium)("parts of the vault's page in Chromium", () => {
  let demo: DemoInBrowser;
  beforeAll(async () => {
    demo = await startDemo();
    return () => demo[Symbol.asyncDispose]();
  });

  it("a part that does not load says so in its place, and Try again shows it", async () => {
    await using person = await demo.openPage();
    const { page } = person;
    await openBusy(page, demo);
    await page.route(accessPart, (route) => route.abort());
    await page.getByRole("link", { name: "Access", exact: true }).click();
    await page.getByText("This part of the page could not be loaded.").waitFor();
    // The frame is there, and so are the other pages.
    await page.getByRole("link", { name: "Vaults", exact: true }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 800 });
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("This part of the page could not be loaded.").waitFor();
    await page.unroute(accessPart);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Where you are signed in" }).waitFor();
  });

  it("a part of the vault that does not load leaves the items and what was typed", async () => {
    await using person = await demo.openPage();
    const { page } = person;
    await openBusy(page, demo);
    await page.getByRole("link", { name: "demo-vault" }).click();
    await page.getByLabel("Search").fill("mail");
    await page.route("**/console/assets/item-sheet-*.js", (route) => route.abort());
    const item = page.getByRole("button", { name: "Example mail" });
    await item.click();
    await page.getByText("This part of the page could not be loaded.").waitFor();
    expect(await page.getByLabel("Search").inputValue()).toBe("mail");
    await item.waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.unroute("**/console/assets/item-sheet-*.js");
    await item.click();
    await page.getByRole("dialog").getByRole("heading", { name: "Example mail" }).waitFor();
  });

  it("after an update of the server, the page reloads itself once, and never in a loop", async () => {
    await using person = await demo.openPage();
    const { page } = person;
    await openBusy(page, demo);
    // The server has another version, which the browser shows as this one: also its parts do not load.
    let loads = 0;
    await page.route("**/console", async (route) => {
      if (route.request().resourceType() === "document") return route.continue();
      const update = async () => {
        const response = await route.fetch();
        const text = await response.text();
        const body = text.replaceAll("/console/assets/first-load-", "/console/assets/updated-first-load-");
        await route.fulfill({ response, body });
      };
      // The page can reload, or the test can end, before there is an answer: then nobody waits for it.
      await update().catch(() => {});
    });
    await page.route(accessPart, (route) => route.abort());
    page.on("load", () => {
      loads += 1;
    });
    const checked = () => page.waitForResponse((response) => response.url().endsWith("/console") && response.ok());
    await page.getByRole("link", { name: "Access", exact: true }).click();
    await expect.poll(() => loads).toBe(1);
    await page.getByRole("button", { name: "Try again" }).waitFor();
    const again = checked();
    await page.getByRole("button", { name: "Try again" }).click();
    await again;
    await page.getByRole("button", { name: "Try again" }).waitFor();
    expect(loads).toBe(1);
  });

  it("without the network, pages that were not opened yet open, and a vault that was loaded can be read", async () => {
    await using person = await demo.openPage();
    const { page } = person;
    const loaded: string[] = [];
    page.on("response", (response) => loaded.push(response.url()));
    await openVault(page, demo);
    const parts = [
      "access-page",
      "agents-page",
      "activity-page",
      "charts-page",
      "item-sheet",
      "bulk-panel",
      "help-sheet",
      "remove-passkey",
    ];
    await expect.poll(() => parts.filter((part) => !loaded.some((url) => url.includes(`/${part}-`)))).toEqual([]);
    await page.getByLabel("Search").fill("card");
    await page.context().setOffline(true);
    await rewrite(demo.vaults, "demo-note");
    await page.getByText("Reconnecting").waitFor();
    expect(await page.getByLabel("Search").inputValue()).toBe("card");
    await page.getByRole("button", { name: "Example card" }).click();
    await page.getByRole("dialog").getByText("4111").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Access", exact: true }).click();
    await page.getByRole("heading", { name: "Access", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Vaults", exact: true }).click();
    await page.getByRole("link", { name: "demo-vault" }).click();
    await page.getByRole("button", { name: "Example mail" }).waitFor();
    await page.context().setOffline(false);
    await page.getByText("Live: changes appear at once.").waitFor();
  });
});
