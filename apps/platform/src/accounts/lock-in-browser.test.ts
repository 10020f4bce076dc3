import { openPersonPage, startChromium, withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { fillRecoveryCode, signUp, titleHashIn } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { type DemoInBrowser, itemLink, openedItem, openVault, startDemo } from "./testing/console-steps.js";
import { startDeviceSite } from "./testing/device-site.js";

const minute = 60_000;

/** Waits until the page has nothing of the person: no title, and no key in the browser. */
async function waitForLock(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "Locked" }).waitFor();
  expect(await page.content()).not.toContain("Example mail");
  expect(await titleHashIn(page)).toBeUndefined();
}

async function unlock(page: Page, { recoveryCode }: DemoInBrowser): Promise<void> {
  await fillRecoveryCode(page, recoveryCode);
  await page.getByRole("button", { name: "Use the recovery code" }).click();
}

describe.skipIf(withoutChromium)("a locked browser has no key and no plaintext, in Chromium", () => {
  let demo: DemoInBrowser;
  beforeAll(async () => {
    demo = await startDemo();
    return () => demo[Symbol.asyncDispose]();
  });

  it("Lock now locks every tab, and unlocking one brings all back to where they were", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await page.setViewportSize({ width: 1024, height: 800 });
    await openVault(page, demo);
    const other = await page.context().newPage();
    await other.goto(`${demo.origin}/console/vaults/demo-vault`);
    await itemLink(other, "Example card").click();
    await openedItem(other, "Example card").waitFor();
    await page.getByRole("button", { name: "Demo user" }).click();
    await page.getByRole("button", { name: "Lock now" }).click();
    await waitForLock(page);
    await waitForLock(other);
    expect(await findViolations(page)).toEqual([]);
    await unlock(page, demo);
    await page.waitForURL("**/console/vaults/demo-vault");
    await itemLink(page, "Example mail").waitFor();
    await other.waitForURL("**/console/vaults/demo-vault?item=*");
    await openedItem(other, "Example card").waitFor();
    expect(problems).toEqual([]);
  });

  it("an open dialog ends without an error, also when it has just lost the focus", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openVault(page, demo);
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
    expect(problems).toEqual([]);
  });

  it("locks by itself after the time that the person has chosen, and stays signed in", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openVault(page, demo);
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
    expect(problems).toEqual([]);
  });

  it("a page that slept locks when it comes back, before its timer", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await page.clock.install();
    await openVault(page, demo);
    // Nothing but the time passes: no timer runs, as while a laptop sleeps.
    await page.clock.setFixedTime(Date.now() + 16 * minute);
    await page.evaluate(() => void dispatchEvent(new Event("focus")));
    await waitForLock(page);
    expect(problems).toEqual([]);
  });

  it("a passkey unlocks with one touch, and the keys are the same", async () => {
    const { origin } = await startDeviceSite();
    await using browser = await startChromium();
    await using person = await openPersonPage(browser);
    const { page, problems } = person;
    await page.setViewportSize({ width: 1024, height: 800 });
    await signUp(page, origin);
    await page.goto(`${origin}/console`);
    const keys = await titleHashIn(page);
    await page.getByRole("button", { name: "Ada" }).click();
    await page.getByRole("button", { name: "Lock now" }).click();
    await waitForLock(page);
    await page.getByRole("button", { name: "Unlock with your passkey" }).click();
    await page.waitForURL("**/console**");
    await page.getByRole("heading", { name: "All items" }).waitFor();
    expect(await titleHashIn(page)).toBe(keys);
    expect(problems).toEqual([]);
  });
});
