import {
  openPersonPage,
  type RunningBrowser,
  startChromium,
  withoutChromium,
} from "@platform-rpc/accounts/testing/browser";
import { enterUserCode, signOut, signUp, waitForTitle } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations, isInWindow } from "@platform-rpc/accounts/testing/find-violations";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDeviceSite } from "../testing/device-site.js";

const minute = 60_000;

describe.skipIf(withoutChromium)("the device page in Chromium", () => {
  const started = new AsyncDisposableStack();
  let browser: RunningBrowser;
  /** The site of the tests that neither advance its clock nor reach a limit. */
  let site: Awaited<ReturnType<typeof startDeviceSite>>;
  beforeAll(async () => {
    site = await startDeviceSite({ atEnd: (end) => started.defer(end) });
    browser = started.use(await startChromium());
  });
  afterAll(() => started.disposeAsync());

  /** Opens the page of a person who has signed up with a passkey. */
  async function openMember(origin: string) {
    const person = await openPersonPage(browser);
    await signUp(person.page, origin);
    return person;
  }

  it("after an approval the device code is exchanged, once", async () => {
    const { origin, startDevice, exchange } = site;
    await using person = await openMember(origin);
    const { page, problems } = person;
    const started = await startDevice();
    await enterUserCode(page, origin, started.userCode.toLowerCase().replace("-", " "));
    await waitForTitle(page, "Agent wants to use your vault");
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "Approved");
    expect(await exchange(started)).toBe("approved");
    await enterUserCode(page, origin, started.userCode);
    await waitForTitle(page, "The code was used already");
    expect(problems).toEqual([]);
  });

  it("after a denial, or after 10 minutes, the device gets no access", async () => {
    const { origin, advance, startDevice, exchange } = await startDeviceSite();
    await using person = await openMember(origin);
    const { page, problems } = person;
    const denied = await startDevice();
    await enterUserCode(page, origin, denied.userCode);
    await page.getByRole("button", { name: "Deny" }).click();
    await waitForTitle(page, "Denied");
    expect(await exchange(denied)).toBe("access_denied");

    const expired = await startDevice();
    await enterUserCode(page, origin, expired.userCode);
    advance(10 * minute);
    await page.getByRole("button", { name: "Deny" }).click();
    await waitForTitle(page, "The code has expired");
    expect(await exchange(expired)).toBe("expired_token");
    expect(problems).toEqual([]);
  });

  it("after 5 wrong codes, the right one is rejected with the same words", async () => {
    const { origin, startDevice } = await startDeviceSite();
    await using person = await openMember(origin);
    const { page, problems } = person;
    const { userCode } = await startDevice();
    const rejections = new Set<string | null>();
    for (const last of "BCDFG") {
      await enterUserCode(page, origin, `ZZZZ-ZZZ${last}`);
      rejections.add(await page.getByRole("alert").textContent());
    }
    await enterUserCode(page, origin, userCode);
    rejections.add(await page.getByRole("alert").textContent());
    expect([...rejections]).toEqual([expect.stringContaining("This code is not valid.")]);
    expect(problems).toEqual([]);
  });

  it("a code in the URL fills the field, and sign-in leads back to it", async () => {
    const { origin, startDevice, exchange } = site;
    await using person = await openMember(origin);
    const { page, problems } = person;
    await signOut(page);
    const started = await startDevice();
    expect(new URL(started.verificationUriComplete).origin).toBe(origin);
    await page.goto(started.verificationUriComplete);
    const field = page.getByLabel("Code on the device");
    expect(await field.inputValue()).toBe(started.userCode);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL("**/sign-in?*");
    await page.getByRole("button", { name: "Continue with a passkey" }).click();
    await page.waitForURL("**/device?*");
    expect(await field.inputValue()).toBe(started.userCode);
    expect(await exchange(started)).toBe("authorization_pending");
    expect(problems).toEqual([]);
  });

  it("5 minutes after sign-in, an approval requires the passkey again, and a denial does not", async () => {
    const { origin, advance, startDevice, exchange } = await startDeviceSite();
    await using person = await openMember(origin);
    const { page, problems } = person;
    const [approved, denied] = [await startDevice(), await startDevice()];
    await enterUserCode(page, origin, approved.userCode);
    advance(5 * minute);
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "Sign in again");
    await page.getByRole("button", { name: "Continue with a passkey" }).click();
    await page.waitForURL("**/device?*");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "Approved");
    expect(await exchange(approved)).toBe("approved");

    await enterUserCode(page, origin, denied.userCode);
    advance(4.5 * minute);
    await page.getByRole("button", { name: "Deny" }).click();
    await waitForTitle(page, "Denied");
    expect(problems).toEqual([]);
  });

  it("the keyboard reaches every control, Deny before Approve, with a visible focus, and Enter approves", async () => {
    const { origin, startDevice, exchange } = site;
    await using person = await openMember(origin);
    const { page, problems } = person;
    const started = await startDevice();
    await enterUserCode(page, origin, started.userCode);
    await waitForTitle(page, "Agent wants to use your vault");
    const focused: string[] = [];
    while (!focused.at(-1)?.startsWith("Approve") && focused.length < 20) {
      await page.keyboard.press("Tab");
      const stop = await page.evaluate(() => {
        const element = document.activeElement ?? document.body;
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        const isChoice = element instanceof HTMLInputElement && element.name === "scope";
        return `${isChoice ? element.value : element.id || element.textContent}: ${outlineStyle} ${outlineWidth}`;
      });
      // The field for a time has a stop for each of its parts.
      if (stop !== focused.at(-1)) focused.push(stop);
    }
    expect(focused).toEqual(
      [
        "Skip to the content",
        "Platform",
        "Ada",
        "vault.items:delete",
        "identity.device_authorizations:exchange",
        "vault-0",
        "deletions",
        "Details",
        "Deny",
        "Approve",
      ].map((name) => `${name}: solid 3px`),
    );
    await page.keyboard.press("Enter");
    await waitForTitle(page, "Approved");
    expect(await exchange(started)).toBe("approved");
    expect(problems).toEqual([]);
  });

  it("at 390 px all that matters is in the window, without the names of scopes, and a field with an error is, too", async () => {
    const { origin, startDevice, exchange } = site;
    await using person = await openMember(origin);
    const { page, problems } = person;
    await page.setViewportSize({ width: 390, height: 844 });
    const started = await startDevice();
    await enterUserCode(page, origin, started.userCode);
    await waitForTitle(page, "Agent wants to use your vault");
    for (const name of ["Deny", "Approve"]) {
      await expect.poll(() => isInWindow(page.getByRole("button", { name })), { message: name }).toBe(true);
    }
    const shown = page.locator("h1, .shown-code, .notice, [name=scope], [name=vault], [name=deletions]");
    for (const each of await shown.all()) expect([await each.textContent(), await isInWindow(each)]).toContain(true);
    expect(await page.getByText("vault.items:delete").isVisible()).toBe(false);
    await page.getByLabel("Deletions at most").fill("2.5");
    await page.locator("form.review").evaluate((form) => form.setAttribute("novalidate", ""));
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Enter a whole number from 0 to 4294967295.").waitFor();
    const field = page.getByLabel("Deletions at most");
    await expect.poll(() => isInWindow(field)).toBe(true);
    expect(await field.getAttribute("aria-describedby")).toBe("deletions-error deletions-hint");
    const violations = await findViolations(page);
    await field.fill("2");
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "Approved");
    expect(await exchange(started)).toBe("approved");
    expect(violations).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("works without JavaScript for a person who has signed in", async () => {
    const { origin, startDevice, exchange } = site;
    await using person = await openMember(origin);
    const storageState = await person.page.context().storageState();
    const context = await browser.browser.newContext({ javaScriptEnabled: false, storageState });
    const page = await context.newPage();
    const started = await startDevice();
    await page.goto(started.verificationUriComplete);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("checkbox", { name: "Delete items" }).uncheck();
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "Approved");
    expect(await exchange(started)).toBe("approved");
    await context.close();
  });
});
