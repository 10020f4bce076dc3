import { fillRecoveryCode, proveWithCode, signOut, titleHashIn } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { copiesIn, itemLink, openVault } from "./testing/console-steps.js";
import { it } from "./testing/in-browser.js";
import type { Demo } from "./testing/start-demo.js";

/** How often a page asks whether its session has ended, in milliseconds: with the 2 s for an answer, less than 5 s. */
const asksEvery = 2_500;

/** Opens the vault of the demo on a page whose time then stands still: only what the test does can lock it. */
async function openStoppedVault(page: Page, demo: Demo): Promise<void> {
  await page.clock.install();
  await openVault(page, demo);
  await stopTime(page);
}

function stopTime(page: Page): Promise<void> {
  return page.clock.pauseAt(Date.now() + 1_000);
}

/** Waits until a page has nothing of the person but a way back: no item, no key, and no copy in the browser. */
async function waitForLock(page: Page): Promise<void> {
  await page.waitForURL("**/sign-in?ended=*");
  await page.getByText("The page was locked, and your items with it.").waitFor();
  expect(await page.content()).not.toContain("Example mail");
  expect(await titleHashIn(page)).toBeUndefined();
  expect(await copiesIn(page)).toEqual([]);
}

describe("a session that has ended locks its pages, in Chromium", () => {
  it("signing out in one tab locks the vault in another, and signing in again comes back to it", async ({
    demo,
    page,
  }) => {
    await openStoppedVault(page, demo);
    const other = await page.context().newPage();
    await other.goto(`${demo.origin}/console/security`);
    await signOut(other);
    await waitForLock(page);
    await page.clock.resume();
    expect(await findViolations(page)).toEqual([]);
    await fillRecoveryCode(page, demo.recoveryCode);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Not now" }).click();
    await page.waitForURL("**/console/vaults/demo-vault");
    await itemLink(page, "Example mail").waitFor();
  });

  it("a page that learns of the end of its session while it signs out does not stop the answer, which empties the browser", async ({
    demo,
    page,
  }) => {
    await openStoppedVault(page, demo);
    const other = await page.context().newPage();
    await other.goto(`${demo.origin}/healthz`);
    // The page asks two times. Before its second request, it has done what follows from the answer to the first one.
    const headers = { Origin: demo.origin, "Sec-Fetch-Site": "same-origin" };
    await page.route("**/sign-out", async (route) => {
      const response = await route.fetch({ headers: { ...route.request().headers(), ...headers }, maxRedirects: 0 });
      for (const _ of ["first", "second"]) {
        const told = page.waitForResponse((each) => each.url().endsWith("/api/session") && each.status() === 401);
        await other.evaluate(() => new BroadcastChannel("platform-accounts: session").postMessage("check"));
        await told;
      }
      await route.fulfill({ response });
    });
    await signOut(page);
  });

  it("a session that has ended on the server locks a page that makes no calls within 5 s", async ({ demo, page }) => {
    await openStoppedVault(page, demo);
    await page.goto(`${demo.origin}/device`);
    const other = await page.context().newPage();
    // Not a page: nothing tells the tab.
    await other.goto(`${demo.origin}/healthz`);
    await page.context().request.post(`${demo.origin}/sign-out`, {
      headers: { Origin: demo.origin, "Sec-Fetch-Site": "same-origin" },
      maxRedirects: 0,
    });
    await page.clock.runFor(asksEvery);
    await waitForLock(page);
  });

  it("signing out everywhere, after a proof, locks the vault in another browser at once", async ({
    demo,
    page,
    openPerson,
  }) => {
    const { page: elsewhere } = await openPerson();
    await openVault(elsewhere, demo);
    await openStoppedVault(page, demo);
    await elsewhere.goto(`${demo.origin}/console/security`);
    await elsewhere.getByRole("button", { name: "Sign out everywhere" }).click();
    const dialog = elsewhere.getByRole("dialog", { name: "Sign out everywhere?" });
    await dialog.getByText("Agents and apps stay").waitFor();
    expect(await findViolations(elsewhere)).toEqual([]);
    await proveWithCode(elsewhere, demo.recoveryCode);
    await waitForLock(elsewhere);
    // Its time stands still: the server ends a call of the page, which does not have to ask.
    await waitForLock(page);
  });

  it("somebody else who signs in in another tab locks the page of the person before", async ({ demoVault: page }) => {
    // As if the other person's session had replaced this one before the page could notice that it ended.
    await page.route("**/account/api/session", (route) => route.fulfill({ json: { principalId: "somebody-else" } }));
    const left = page.waitForRequest("**/sign-in?ended=*");
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await left;
    // The browser has a session, so the sign-in page leads back: a new page, of the person who is signed in.
    await page.waitForURL("**/console/vaults/demo-vault");
  });

  it("a server that does not answer locks nothing, and a page that nobody uses does not extend the session", async ({
    demo,
    page,
  }) => {
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
