import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { fillRecoveryCode, signInWithCode, signOut, titleHashIn } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { type DemoInBrowser, itemLink, openVault, startDemo } from "./testing/console-steps.js";

/** How often a page asks whether its session has ended, in milliseconds: with the 2 s for an answer, less than 5 s. */
const asksEvery = 2_500;

/** Opens the vault of the demo on a page whose time then stands still: only what the test does can lock it. */
async function openStoppedVault(page: Page, demo: DemoInBrowser): Promise<void> {
  await page.clock.install();
  await openVault(page, demo);
  await stopTime(page);
}

/** Signs in, and opens the account page, whose time then stands still. */
async function openStoppedAccount(page: Page, { origin, recoveryCode }: DemoInBrowser): Promise<void> {
  await page.clock.install();
  await page.goto(`${origin}/sign-in`);
  await signInWithCode(page, recoveryCode);
  await stopTime(page);
}

function stopTime(page: Page): Promise<void> {
  return page.clock.pauseAt(Date.now() + 1_000);
}

/** Waits until a page has nothing of the person: their items, their keys, and a way back. */
async function waitForLock(page: Page): Promise<void> {
  await page.waitForURL("**/sign-in?ended=*");
  await page.getByText("The page was locked, and your items with it.").waitFor();
  expect(await page.content()).not.toContain("Example mail");
  expect(await titleHashIn(page)).toBeUndefined();
}

describe.skipIf(withoutChromium)("a session that has ended locks its pages, in Chromium", () => {
  let demo: DemoInBrowser;
  beforeAll(async () => {
    demo = await startDemo();
    return () => demo[Symbol.asyncDispose]();
  });

  it("signing out in one tab locks the vault in another, and signing in again comes back to it", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openStoppedVault(page, demo);
    const other = await page.context().newPage();
    await other.goto(`${demo.origin}/account`);
    await signOut(other);
    await waitForLock(page);
    await page.clock.resume();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 800 });
    await fillRecoveryCode(page, demo.recoveryCode);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/vaults/demo-vault");
    await itemLink(page, "Example mail").waitFor();
    expect(problems).toEqual([]);
  });

  it("signing out locks the account page in another tab, and going back does not show it", async () => {
    await using person = await demo.openPage();
    const { page } = person;
    await openStoppedAccount(page, demo);
    const other = await page.context().newPage();
    await other.goto(`${demo.origin}/account`);
    await signOut(other);
    await page.waitForURL("**/sign-in?ended=*");
    await page.goBack();
    await page.waitForURL("**/sign-in*");
  });

  it.each(["/account/sessions/end-all", "/sign-out"])(
    "a session that %s has ended on the server locks the vault within 5 s",
    async (path) => {
      await using person = await demo.openPage();
      const { page } = person;
      await openStoppedVault(page, demo);
      const other = await page.context().newPage();
      // Not a page: nothing tells the tab.
      await other.goto(`${demo.origin}/healthz`);
      await page.context().request.post(demo.origin + path, {
        headers: { Origin: demo.origin, "Sec-Fetch-Site": "same-origin" },
        maxRedirects: 0,
      });
      await page.clock.runFor(asksEvery);
      await waitForLock(page);
    },
  );

  it("signing out everywhere locks another browser within 5 s, also a page that makes no calls", async () => {
    await using person = await demo.openPage();
    await using elsewhere = await demo.openPage();
    const { page } = person;
    await openStoppedAccount(page, demo);
    await elsewhere.page.goto(`${demo.origin}/sign-in`);
    await signInWithCode(elsewhere.page, demo.recoveryCode);
    await elsewhere.page.getByRole("button", { name: "Sign out everywhere" }).click();
    await elsewhere.page.waitForURL("**/sign-in");
    await page.clock.runFor(asksEvery);
    await waitForLock(page);
  });

  it("somebody else who signs in in another tab locks the page of the person before", async () => {
    await using person = await demo.openPage();
    const { page } = person;
    await openVault(page, demo);
    // As if the other person's session had replaced this one before the page could notice that it ended.
    await page.route("**/account/api/session", (route) => route.fulfill({ json: { principalId: "somebody-else" } }));
    const left = page.waitForRequest("**/sign-in?ended=*");
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await left;
    // The browser has a session, so the sign-in page leads back: a new page, of the person who is signed in.
    await page.waitForURL("**/console/vaults/demo-vault");
  });

  it("a server that does not answer locks nothing, and a page that nobody uses does not extend the session", async () => {
    await using person = await demo.openPage();
    const { page } = person;
    await openStoppedVault(page, demo);
    const active: (string | undefined)[] = [];
    await page.route("**/account/api/session", (route) => {
      active.push(route.request().headers()["x-person-active"]);
      return route.abort();
    });
    const askAgain = () => page.clock.runFor(asksEvery);
    await expect.poll(() => askAgain().then(() => active.length)).toBeGreaterThan(1);
    expect(active.at(-1)).toBe("no");
    await itemLink(page, "Example mail").waitFor();
  });
});
