import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { withoutChromium } from "../src/testing/browser.js";
import { signInWithCode, signOut, signUp, titleHashIn } from "../src/testing/browser-steps.js";
import { inBrowser } from "../src/testing/in-browser.js";
import { serveSite } from "../src/testing/serve-site.js";

const minute = 60_000;
const field = "Or choose one of your passkeys";
const primary = "Continue with a passkey";

/** Counts the challenges that a page asks for. */
function countChallenges(page: Page): () => number {
  let count = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/account/api/sign-in/begin")) count += 1;
  });
  return () => count;
}

/** A page of a person with a passkey that the browser suggests. */
const it = inBrowser
  .extend("site", () => serveSite())
  .extend("suggested", ({ openPerson }) => openPerson({ suggested: true }))
  .extend("signedOut", async ({ site, suggested }) => {
    const { page, setPresent } = suggested;
    const code = await signUp(page, site.origin);
    const keys = await titleHashIn(page);
    await setPresent(false);
    await signOut(page);
    await page.getByLabel(field).waitFor();
    return { page, setPresent, code, keys };
  })
  .skipIf(withoutChromium);

describe("the sign-in page lets the browser suggest passkeys, in Chromium", () => {
  it("a passkey that the person chooses in the field signs in and unlocks the keys of sign-up", async ({
    site,
    signedOut,
  }) => {
    const { page, setPresent, keys } = signedOut;
    await setPresent(true);
    await page.goto(`${site.origin}/sign-in`);
    await page.waitForURL("**/console**");
    expect(await titleHashIn(page)).toBe(keys);
  });

  it("a wrong recovery code begins them again, and the right one signs in", async ({
    site,
    signedOut: { page, code },
  }) => {
    const challenges = countChallenges(page);
    await page.goto(`${site.origin}/sign-in`);
    await page.getByLabel(field).waitFor();
    await page.route("**/account/api/sign-in/finish", (route) => route.abort(), { times: 1 });
    await page.getByText("Use a recovery code instead").click();
    await page.getByLabel("Recovery code").fill(code);
    await page.keyboard.press("Enter");
    await page.getByText("The server did not answer.").waitFor();
    await expect.poll(challenges).toBe(3);
    await signInWithCode(page, code);
  });

  it("the challenge is renewed before it expires, without a word", async ({
    site,
    signedOut: { page, setPresent },
  }) => {
    const challenges = countChallenges(page);
    await page.clock.install();
    await page.goto(`${site.origin}/sign-in`);
    await page.getByLabel(field).waitFor();
    await page.clock.runFor(3 * minute);
    expect(challenges()).toBe(1);
    await page.clock.runFor(1.5 * minute);
    await expect.poll(challenges).toBe(2);
    expect(await page.getByRole("alert").allTextContents()).toEqual([""]);
    await setPresent(true);
    await page.clock.resume();
    await page.getByRole("button", { name: primary }).click();
    await page.waitForURL("**/console**");
  });

  it("a browser with nothing to suggest shows neither the field nor an error", async ({
    site,
    suggested: { page },
  }) => {
    await signUp(page, site.origin, "Continue without a passkey");
    await signOut(page);
    // The first page has the device. This one has none, so its ceremony fails at once.
    const other = await page.context().newPage();
    const failed = other.waitForResponse("**/account/api/sign-in/begin");
    await other.goto(`${site.origin}/sign-in`);
    await failed;
    await other.getByLabel(field).waitFor({ state: "hidden" });
    expect(await other.getByRole("alert").allTextContents()).toEqual([""]);
  });

  it("the field for the recovery code is folded until the browser lacks passkeys", async ({ site, page }) => {
    await page.goto(`${site.origin}/sign-in`);
    await page.getByRole("button", { name: primary, disabled: false }).waitFor();
    await page.getByLabel("Recovery code").waitFor({ state: "hidden" });
    await page.addInitScript(() => Reflect.deleteProperty(window, "PublicKeyCredential"));
    await page.reload();
    await page.getByLabel("Recovery code").waitFor();
  });
});
