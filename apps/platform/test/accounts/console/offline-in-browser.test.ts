import { createServer } from "node:http";
import { promisify } from "node:util";
import { generateRecoveryCode, printRecoveryCode } from "@platform-rpc/accounts/keys/recovery-code";
import { fillRecoveryCode, signOut, titleHashIn } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import {
  copiesIn,
  itemLink,
  lockNow,
  offlineBanner,
  openedItem,
  openNewVault,
  openVault,
  recordsIn,
} from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";
import { type Demo, startProgram } from "../testing/start-demo.js";

/** Waits until the browser has what it needs to open the vault without a network. */
async function waitUntilKept(page: Page): Promise<void> {
  await expect
    .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistration("/console"))?.active?.state))
    .toBe("activated");
  await expect.poll(() => copiesIn(page)).toContainEqual(expect.stringMatching(/^platform-vault-copies person /));
}

/** Opens the vault of the demo, and opens it again without a network. */
async function openWithout(page: Page, demo: Demo): Promise<void> {
  await openVault(page, demo);
  await waitUntilKept(page);
  await page.context().setOffline(true);
  await page.goto(`${demo.origin}/console/vaults/demo-vault`);
}

/** Unlocks the browser without a network. */
async function unlockOffline(page: Page, code: string): Promise<void> {
  const useCode = page.getByRole("button", { name: "Use your recovery code instead" });
  if (await useCode.isVisible()) await useCode.click();
  await page.getByLabel("Recovery code").fill(code);
  await page.getByRole("button", { name: "Use the recovery code" }).click();
}

describe("the vault without a network, in Chromium", () => {
  it("opens read only, says since when, and shows the next change when the network is back", async ({ demo, page }) => {
    await openWithout(page, demo);
    await offlineBanner(page).waitFor();
    await itemLink(page, "Example card").click();
    const item = openedItem(page, "Example card");
    await item.getByRole("button", { name: "Show Number" }).click();
    await item.getByText("4111 1111 1111 1111").waitFor();
    const remove = item.getByRole("button", { name: "Delete", exact: true });
    expect(await remove.getAttribute("aria-disabled")).toBe("true");
    expect(await remove.getAttribute("title")).toContain("Offline");
    await remove.click({ force: true });
    await page.getByRole("button", { name: "New item" }).click({ force: true });
    expect(await page.locator("#new-item-menu").isVisible()).toBe(false);
    // A deletion moves the focus to the next item at once.
    await itemLink(page, "Example mail").focus();
    await page.keyboard.press("Delete");
    expect(await page.locator(":focus").textContent()).toContain("Example mail");
    expect(await findViolations(page)).toEqual([]);
    await page.reload();
    await openedItem(page, "Example card").waitFor();
    await page.context().setOffline(false);
    await offlineBanner(page).waitFor({ state: "detached" });
    expect(await remove.getAttribute("aria-disabled")).toBeNull();
    // The form that is open when the network goes keeps what was typed.
    await item.getByRole("link", { name: "Edit" }).click();
    await page.getByLabel("Title").fill("Changed offline");
    await page.context().setOffline(true);
    await offlineBanner(page).waitFor();
    await page.getByLabel("Title").press("Enter");
    expect(await page.getByRole("button", { name: "Save" }).getAttribute("aria-disabled")).toBe("true");
    expect(await page.getByLabel("Title").inputValue()).toBe("Changed offline");
  });

  it("is locked and unlocked, and the server is told of the lock when it answers", async ({ demo, page }) => {
    await openWithout(page, demo);
    await itemLink(page, "Example mail").waitFor();
    await lockNow(page);
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    await page.getByText("Offline: the server does not answer.").waitFor();
    expect(await page.content()).not.toContain("Example mail");
    expect(await titleHashIn(page)).toBeUndefined();
    expect(await findViolations(page)).toEqual([]);
    // A code of somebody else.
    await unlockOffline(page, printRecoveryCode(generateRecoveryCode()));
    await page.getByText("This recovery code does not unlock the vault that this browser has kept.").waitFor();
    await unlockOffline(page, demo.recoveryCode);
    await itemLink(page, "Example mail").waitFor();
    const locked = page.waitForResponse("**/account/api/lock");
    await page.context().setOffline(false);
    expect((await locked).status()).toBe(200);
    await page.waitForURL("**/sign-in?*");
    await fillRecoveryCode(page, demo.recoveryCode);
    await page.keyboard.press("Enter");
    await itemLink(page, "Example mail").waitFor();
  });

  it("unlocks with a passkey; another account of the browser has neither the copies nor the keys of the first", async ({
    demo,
    demoVault: page,
  }) => {
    await waitUntilKept(page);
    await page.context().clearCookies();
    await openNewVault(page, demo);
    await expect.poll(async () => (await copiesIn(page)).join()).toContain('"displayName":"Ada"');
    expect((await copiesIn(page)).join()).not.toMatch(/demo-vault|Demo user/);
    await page.context().setOffline(true);
    await page.reload();
    await page.getByRole("button", { name: "Ada" }).waitFor();
    await lockNow(page, "Ada");
    await page.getByText("Offline: the server does not answer.").waitFor();
    await unlockOffline(page, demo.recoveryCode);
    await page.getByText("This recovery code does not unlock").waitFor();
    await page.getByRole("button", { name: "Unlock with your passkey" }).click();
    await page.getByRole("button", { name: "Ada" }).waitFor();
    await page.context().setOffline(false);
    await page.waitForURL("**/sign-in?*");
  });

  it("nothing decrypted is kept, and signing out leaves neither copies, nor wrapped keys, nor a worker", async ({
    demoVault: page,
  }) => {
    await waitUntilKept(page);
    const decrypted = /Example (?:mail|card)|correct horse|4111/;
    expect((await recordsIn(page)).some((record) => decrypted.test(record))).toBe(false);
    /** The paths that the worker keeps. */
    const cached = () =>
      page.evaluate(async () => {
        const names = await caches.keys();
        const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
        return kept.flat().map(({ url }) => new URL(url).pathname);
      });
    const paths = await cached();
    expect(paths.length).toBeGreaterThan(50);
    expect(paths.filter((path) => !/^\/(?:console\/)?assets\/[\w.-]+\.(?:js|css|svg|html)$/.test(path))).toEqual([]);
    await signOut(page);
    expect((await recordsIn(page)).length).toBe(0);
    expect(await cached()).toEqual([]);
    expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  });

  it("signing out leaves neither keys nor copies, says so, and ends the session when the server answers", async ({
    demo,
    page,
  }) => {
    await openWithout(page, demo);
    await itemLink(page, "Example mail").waitFor();
    await page.locator("[popovertarget=person-menu]").click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("heading", { name: "Signed out" }).waitFor();
    expect(await copiesIn(page)).toEqual([]);
    expect(await titleHashIn(page)).toBeUndefined();
    expect(await page.content()).not.toContain("Example mail");
    expect(await findViolations(page)).toEqual([]);
    await page.goto(`${demo.origin}/console/vaults/demo-vault`);
    await page.getByRole("heading", { name: "Signed out" }).waitFor();
    const ended = page.waitForResponse("**/account/api/sign-out");
    await page.context().setOffline(false);
    expect((await ended).status()).toBe(200);
    await page.waitForURL("**/sign-in?*");
    // A session that is only locked still answers.
    expect(await page.evaluate(async () => (await fetch("/account/api/session")).status)).toBe(401);
  });

  it.for(["lock", "sign-out"])(
    "what could not be sent, a %s, does not reach the session of a new account",
    async (how, { demo, page }) => {
      await page.goto(`${demo.origin}/sign-up`);
      await page.evaluate((how) => localStorage.setItem("platform: not sent", how), how);
      await openNewVault(page, demo);
      await page.waitForResponse("**/account/api/session");
      await page.getByText("Your vault is ready").waitFor();
    },
  );

  it("a page that needs the server says so, and opens when the network is back", async ({ demo, page }) => {
    await openWithout(page, demo);
    await itemLink(page, "Example mail").waitFor();
    const needsNetwork = page.getByRole("heading", { name: "This page needs the network", level: 1 });
    for (const name of ["Activity", "Agents & apps", "Security"]) {
      await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
      await needsNetwork.waitFor();
      await page.getByText(/the server last answered at \d\d:\d\d\./).waitFor();
    }
    expect(await findViolations(page)).toEqual([]);
    await page.context().setOffline(false);
    await page.getByRole("heading", { name: "Where you are signed in" }).waitFor();
    // What was loaded stays readable.
    await page.context().setOffline(true);
    await offlineBanner(page).waitFor();
    await page.getByRole("heading", { name: "Where you are signed in" }).waitFor();
  });

  it("a lock on the first visit, without a network, shows the page that unlocks", async ({ demo, demoVault: page }) => {
    await waitUntilKept(page);
    expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull();
    await page.context().setOffline(true);
    await lockNow(page);
    await page.getByText("Offline: the server does not answer.").waitFor();
    await unlockOffline(page, demo.recoveryCode);
    await itemLink(page, "Example mail").waitFor();
  });

  it.for([
    ["a network that asks to sign in", 200],
    ["a network that refuses", 401],
  ] as const)(
    "%s does not answer for the server: no lock is forgotten, and no copy",
    async ([, status], { demoVault: page }) => {
      await waitUntilKept(page);
      await page.route("**/account/api/*", (route) =>
        route.fulfill({ status, contentType: "text/html", body: "Wi-Fi" }),
      );
      const unsent = "platform: not sent";
      await page.evaluate((key) => localStorage.setItem(key, "lock"), unsent);
      for (const _ of ["first", "second"]) {
        const answered = page.waitForResponse("**/account/api/lock");
        await page.evaluate(() => dispatchEvent(new Event("platform-session-ended")));
        await answered;
      }
      expect(await page.evaluate((key) => localStorage.getItem(key), unsent)).toBe("lock");
      await itemLink(page, "Example mail").waitFor();
      expect((await copiesIn(page)).join()).toContain('"ciphertext":"');
    },
  );

  it("a session that ended elsewhere leaves nothing as soon as the server answers", async ({ demo, openPerson }) => {
    const { page } = await openPerson();
    await openWithout(page, demo);
    await itemLink(page, "Example mail").waitFor();
    await page.context().clearCookies();
    expect((await copiesIn(page)).join()).toContain('"ciphertext":"');
    await page.context().setOffline(false);
    await page.waitForURL("**/sign-in?ended=*");
    expect(await copiesIn(page)).toEqual([]);
  });

  it("a kept page is locked if the server answers for somebody else", async ({ demo, page }) => {
    await openWithout(page, demo);
    await itemLink(page, "Example mail").waitFor();
    await page.route("**/account/api/session", (route) => route.fulfill({ json: { principalId: "somebody-else" } }));
    const left = page.waitForRequest("**/sign-in?ended=*");
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await left;
  });

  it("a new build is kept, and takes the place of the one before when no tab uses it", async ({ demo, page }) => {
    // Only the first request for a worker can be answered here: the next one, for an update, gets the build of the server.
    await page.context().route("**/console/assets/offline-worker.js", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(/"id":"[^"]*"/, '"id":"before"') });
    });
    await openVault(page, demo);
    await waitUntilKept(page);
    const builds = () => page.evaluate(() => caches.keys());
    expect(await builds()).toEqual(["platform-vault before"]);
    await page.reload();
    await expect
      .poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting?.state))
      .toBe("installed");
    expect(await builds()).toHaveLength(2);
    await page.goto(`${demo.origin}/healthz`);
    await expect.poll(builds).toEqual([expect.not.stringContaining("before")]);
  });

  it("opens while the server restarts, takes its page at the next load, and is left by one link", async ({ page }) => {
    const { start } = await startProgram();
    const first = await start();
    await openVault(page, first);
    await waitUntilKept(page);
    await first.stop();
    // A proxy in front of it.
    const proxy = createServer((_, response) => response.writeHead(502).end("Bad Gateway"));
    await promisify(proxy.listen.bind(proxy, Number(new URL(first.origin).port)))();
    await page.reload();
    await itemLink(page, "Example mail").waitFor();
    expect(await page.locator("html[data-kept]").count()).toBe(1);
    proxy.closeAllConnections();
    await promisify(proxy.close.bind(proxy))();
    await start();
    await page.reload();
    await itemLink(page, "Example mail").waitFor();
    expect(await page.locator("html[data-kept]").count()).toBe(0);
    await page.goto(`${first.origin}/reset`);
    await page.getByText("Done.").waitFor();
    expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  });
});
