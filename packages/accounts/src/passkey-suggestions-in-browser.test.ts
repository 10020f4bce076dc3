import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPersonPage, type RunningBrowser, startChromium, withoutChromium } from "./testing/browser.js";
import { signInWithCode, signOut, signUp, titleHashIn } from "./testing/browser-steps.js";
import { serveSite } from "./testing/serve-site.js";

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

describe.skipIf(withoutChromium)("the sign-in page lets the browser suggest passkeys, in Chromium", () => {
  let browser: RunningBrowser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  /** Opens the page of a person with a passkey that the browser suggests. */
  async function openSuggested(origin: string) {
    const person = await openPersonPage(browser, { suggested: true });
    const code = await signUp(person.page, origin);
    const keys = await titleHashIn(person.page);
    await person.setPresent(false);
    await signOut(person.page);
    await person.page.getByLabel(field).waitFor();
    return { ...person, code, keys };
  }

  it("a passkey that the person chooses in the field signs in and unlocks the keys of sign-up", async () => {
    const { origin } = await serveSite();
    await using person = await openSuggested(origin);
    const { page, problems, keys } = person;
    await person.setPresent(true);
    await page.goto(`${origin}/sign-in`);
    await page.waitForURL("**/console**");
    expect(await titleHashIn(page)).toBe(keys);
    expect(problems).toEqual([]);
  });

  it("the button ends the suggestions, and signs in", async () => {
    const { origin } = await serveSite();
    await using person = await openSuggested(origin);
    const { page, problems, keys } = person;
    await person.setPresent(true);
    await page.getByRole("button", { name: primary }).click();
    await page.waitForURL("**/console**");
    expect(await titleHashIn(page)).toBe(keys);
    expect(problems).toEqual([]);
  });

  it("a wrong recovery code begins them again, and the right one signs in", async () => {
    const { origin } = await serveSite();
    await using person = await openSuggested(origin);
    const { page, code } = person;
    const challenges = countChallenges(page);
    await page.goto(`${origin}/sign-in`);
    await page.getByLabel(field).waitFor();
    await page.route("**/account/api/sign-in/finish", (route) => route.abort(), { times: 1 });
    await page.getByText("Use a recovery code instead").click();
    await page.getByLabel("Recovery code").fill(code);
    await page.keyboard.press("Enter");
    await page.getByText("The server did not answer.").waitFor();
    await expect.poll(challenges).toBe(3);
    await signInWithCode(page, code);
  });

  it("the challenge is renewed before it expires, without a word", async () => {
    const { origin } = await serveSite();
    await using person = await openSuggested(origin);
    const { page, problems } = person;
    const challenges = countChallenges(page);
    await page.clock.install();
    await page.goto(`${origin}/sign-in`);
    await page.getByLabel(field).waitFor();
    await page.clock.runFor(3 * minute);
    expect(challenges()).toBe(1);
    await page.clock.runFor(1.5 * minute);
    await expect.poll(challenges).toBe(2);
    expect(await page.getByRole("alert").allTextContents()).toEqual([""]);
    await person.setPresent(true);
    await page.clock.resume();
    await page.getByRole("button", { name: primary }).click();
    await page.waitForURL("**/console**");
    expect(problems).toEqual([]);
  });

  it("a browser with nothing to suggest shows neither the field nor an error", async () => {
    const { origin } = await serveSite();
    await using person = await openPersonPage(browser, { suggested: true });
    const { page, problems } = person;
    await signUp(page, origin, "Continue without a passkey");
    await signOut(page);
    // The first page has the device. This one has none, so its ceremony fails at once.
    const other = await page.context().newPage();
    const failed = other.waitForResponse("**/account/api/sign-in/begin");
    await other.goto(`${origin}/sign-in`);
    await failed;
    await other.getByLabel(field).waitFor({ state: "hidden" });
    expect(await other.getByRole("alert").allTextContents()).toEqual([""]);
    expect(problems).toEqual([]);
  });

  it("the field for the recovery code is folded until the browser lacks passkeys", async () => {
    const { origin } = await serveSite();
    await using person = await openPersonPage(browser);
    const { page } = person;
    await page.goto(`${origin}/sign-in`);
    await page.getByRole("button", { name: primary, disabled: false }).waitFor();
    await page.getByLabel("Recovery code").waitFor({ state: "hidden" });
    await page.addInitScript(() => Reflect.deleteProperty(window, "PublicKeyCredential"));
    await page.reload();
    await page.getByLabel("Recovery code").waitFor();
  });
});
