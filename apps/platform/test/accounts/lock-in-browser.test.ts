import { fillRecoveryCode, titleHashIn } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect } from "vitest";
import { copiesIn, itemLink, lockNow, openedItem, openVault, removeKeys } from "./testing/console-steps.js";
import { it } from "./testing/in-browser.js";
import type { Demo } from "./testing/start-demo.js";

const minute = 60_000;

/** Waits until the page has nothing of the person: no title, and no key in the browser. */
async function waitForLock(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "Locked" }).waitFor();
  expect(await page.content()).not.toContain("Example mail");
  expect(await titleHashIn(page)).toBeUndefined();
}

async function unlock(page: Page, { recoveryCode }: Demo): Promise<void> {
  await fillRecoveryCode(page, recoveryCode);
  await page.getByRole("button", { name: "Use the recovery code" }).click();
}

/** Records what the browser asks the server for, from now on: the calls of its pages. */
function recordCalls(target: Page | BrowserContext): ReadonlySet<string> {
  const calls = new Set<string>();
  target.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/(?:account\/api|platform\.)/.test(pathname)) calls.add(pathname);
  });
  return calls;
}

/** Locks the browser in a way that its pages notice, and opens another tab, which asks for nothing but the state of the session. */
async function openLockedTab(page: Page, { origin }: Demo, lock: () => Promise<void>): Promise<Page> {
  const sessionLock = "/account/api/lock";
  const locking = page.context().waitForEvent("request", (request) => request.url().endsWith(sessionLock));
  await lock();
  const tab = await page.context().newPage();
  const calls = recordCalls(tab);
  await tab.goto(`${origin}/console/activity`);
  await waitForLock(tab);
  await waitForLock(page);
  // The page that notices first locks the session, for the other one, too.
  await locking;
  expect([...calls].filter((path) => path !== sessionLock)).toEqual(["/account/api/session"]);
  return tab;
}

describe("a locked browser has no key and no plaintext, in Chromium", () => {
  it("Lock now locks every tab, and unlocking one brings all back to where they were", async ({
    demo,
    demoVault: page,
  }) => {
    const other = await page.context().newPage();
    await other.goto(`${demo.origin}/console/vaults/demo-vault`);
    await itemLink(other, "Example card").click();
    await openedItem(other, "Example card").waitFor();
    await lockNow(page);
    await waitForLock(page);
    await waitForLock(other);
    expect((await copiesIn(page)).join()).toContain('"ciphertext":"');
    expect(await findViolations(page)).toEqual([]);
    await unlock(page, demo);
    await page.waitForURL("**/console/vaults/demo-vault");
    await itemLink(page, "Example mail").waitFor();
    await other.waitForURL("**/console/vaults/demo-vault?item=*");
    await openedItem(other, "Example card").waitFor();
  });

  it("every page of the vault is locked before it asks for anything: in a new tab, after Back and after a reload", async ({
    demo,
    demoVault: page,
  }) => {
    await page.goto(`${demo.origin}/console/activity`);
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    await lockNow(page);
    await waitForLock(page);
    const calls = recordCalls(page.context());
    const tab = await page.context().newPage();
    for (const path of ["", "/deleted", "/vaults/demo-vault", "/activity", "/security", "/agents", "/not/yet/there"]) {
      await tab.goto(`${demo.origin}/console${path}`);
      await waitForLock(tab);
      expect(await tab.getByRole("navigation").count()).toBe(0);
    }
    await page.goBack();
    await waitForLock(page);
    await page.reload();
    await waitForLock(page);
    expect([...calls]).toEqual(["/account/api/session"]);
    await unlock(page, demo);
    await itemLink(page, "Example mail").waitFor();
  });

  it("a browser without keys is locked, also in a tab that had them", async ({ demo, page }) => {
    // The vault is shown before it has a token.
    const token = page.waitForResponse("**/account/api/token");
    await openVault(page, demo);
    await token;
    const tab = await openLockedTab(page, demo, () => removeKeys(page));
    await unlock(tab, demo);
    await tab.waitForURL("**/console/activity");
  });

  it("an open dialog ends without an error, also when it has just lost the focus", async ({
    demo,
    demoVault: page,
  }) => {
    await page.goto(`${demo.origin}/console/person`);
    await page.getByRole("button", { name: "Delete your account" }).click();
    await page.getByRole("dialog", { name: "Delete your account?" }).getByLabel("Type your name to confirm").focus();
    const emptied = Promise.withResolvers<void>();
    await page.route("**/sign-in?*", (route) => emptied.promise.then(() => route.continue()));
    const shown = await page.evaluate(async () => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      dispatchEvent(new Event("platform-lock"));
      // The dialog looks for the focus in the next frame.
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      return document.body.textContent;
    });
    emptied.resolve();
    await waitForLock(page);
    expect(shown).toBe("Locked");
  });

  it("locks by itself after the time that the person has chosen, and stays signed in", async ({
    demo,
    demoVault: page,
  }) => {
    await page.goto(`${demo.origin}/console/security`);
    await page.getByLabel("Lock this browser by itself").selectOption("After 5 minutes without use");
    await page.clock.install();
    await page.goto(`${demo.origin}/console/vaults/demo-vault`);
    await itemLink(page, "Example mail").waitFor();
    await page.clock.runFor(4 * minute);
    await itemLink(page, "Example mail").waitFor();
    await page.mouse.move(10, 10);
    await page.mouse.move(20, 20);
    await page.clock.runFor(4 * minute);
    await itemLink(page, "Example mail").waitFor();
    await page.clock.runFor(2 * minute);
    await waitForLock(page);
    await page.clock.resume();
    await unlock(page, demo);
    await itemLink(page, "Example mail").waitFor();
  });

  it("a browser that nobody has used asks for nothing when the vault is opened again", async ({ demo, page }) => {
    await page.clock.install();
    await openVault(page, demo);
    await openLockedTab(page, demo, () => page.clock.setFixedTime(Date.now() + 16 * minute));
  });

  it("a page that slept locks when it comes back, before its timer", async ({ demo, page }) => {
    await page.clock.install();
    await openVault(page, demo);
    // Nothing but the time passes: no timer runs, as while a laptop sleeps.
    await page.clock.setFixedTime(Date.now() + 16 * minute);
    await page.evaluate(() => void dispatchEvent(new Event("focus")));
    await waitForLock(page);
  });
});
