import type { PersonPage } from "@platform-rpc/accounts/testing/browser";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { itemLink, offlineBanner, openConsole, openedItem, openVault } from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";
import type { Demo } from "../testing/start-demo.js";

const securityPart = "**/console/assets/security-page-*.js";

/** Opens the page before the browser was idle: its parts are loaded when they are shown. */
async function openBusy(page: Page, demo: Demo): Promise<void> {
  await page.addInitScript(() => {
    globalThis.requestIdleCallback = () => 0;
  });
  await openConsole(page, demo);
  await itemLink(page, "Example mail").waitFor();
}

/** React reports the parts that do not load. */
function expectLoadErrors({ takeProblems }: PersonPage): void {
  expect(takeProblems()).not.toEqual([]);
}

describe("parts of the vault's page in Chromium", () => {
  it("a part that does not load says so in its place, and Try again shows it", async ({ demo, page, person }) => {
    await openBusy(page, demo);
    await page.route(securityPart, (route) => route.abort());
    await page.getByRole("link", { name: "Security", exact: true }).click();
    await page.getByText("This part of the page could not be loaded.").waitFor();
    // The frame is there, and so are the other pages.
    await page.getByRole("link", { name: "All items", exact: true }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("This part of the page could not be loaded.").waitFor();
    await page.unroute(securityPart);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Where you are signed in" }).waitFor();
    expectLoadErrors(person);
  });

  it("after an update of the server, the page reloads itself once, and never in a loop", async ({
    demo,
    page,
    person,
  }) => {
    await openBusy(page, demo);
    // The server has another version, which the browser shows as this one: also its parts do not load.
    let loads = 0;
    await page.route("**/console", async (route) => {
      if (route.request().resourceType() === "document") return route.continue();
      const update = async () => {
        const response = await route.fetch();
        const text = await response.text();
        const body = text.replaceAll('src="/console/assets/', 'src="/console/assets/updated-');
        await route.fulfill({ response, body });
      };
      // The page can reload, or the test can end, before there is an answer: then nobody waits for it.
      await update().catch(() => {});
    });
    await page.route(securityPart, (route) => route.abort());
    page.on("load", () => {
      loads += 1;
    });
    const checked = () => page.waitForResponse((response) => response.url().endsWith("/console") && response.ok());
    await page.getByRole("link", { name: "Security", exact: true }).click();
    await expect.poll(() => loads).toBe(1);
    await page.getByRole("button", { name: "Try again" }).waitFor();
    const again = checked();
    await page.getByRole("button", { name: "Try again" }).click();
    await again;
    await page.getByRole("button", { name: "Try again" }).waitFor();
    expect(loads).toBe(1);
    expectLoadErrors(person);
  });

  it("without the network, pages that were not opened yet open, and a vault that was loaded can be read", async ({
    demo,
    page,
  }) => {
    const loaded: string[] = [];
    page.on("response", (response) => loaded.push(response.url()));
    await openVault(page, demo);
    const parts = [
      "security-page",
      "agents-page",
      "activity-page",
      "item-detail",
      "command-palette",
      "bulk-panel",
      "help-sheet",
      "move-sheet",
    ];
    await expect.poll(() => parts.filter((part) => !loaded.some((url) => url.includes(`/${part}-`)))).toEqual([]);
    await page.getByLabel("Search").fill("card");
    await page.context().setOffline(true);
    await offlineBanner(page).waitFor();
    expect(await page.getByLabel("Search").inputValue()).toBe("card");
    await itemLink(page, "Example card").click();
    const item = openedItem(page, "Example card");
    await item.getByRole("button", { name: "Show Number" }).click();
    await item.getByText("4111 1111 1111 1111").waitFor();
    await page.getByRole("link", { name: "Security", exact: true }).click();
    await page.getByRole("heading", { name: "This page needs the network", level: 1 }).waitFor();
    await page.getByRole("link", { name: "All items", exact: true }).click();
    await itemLink(page, "Example mail").waitFor();
    await page.context().setOffline(false);
    await offlineBanner(page).waitFor({ state: "detached" });
  });

  it("if the script of the workers does not load, the page decrypts the items itself", async ({ demo, page }) => {
    let refused = 0;
    await page.context().route("**/console/assets/opener.worker-*.js", (route) => {
      refused += 1;
      return route.abort();
    });
    await openVault(page, demo);
    await itemLink(page, "Example card").waitFor();
    expect(refused).toBeGreaterThan(0);
  });
});
