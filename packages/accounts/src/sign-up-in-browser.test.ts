import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPersonPage, type RunningBrowser, startChromium, withoutChromium } from "./testing/browser.js";
import {
  fillRecoveryCode,
  shownRecoveryCode,
  signInWithCode,
  signOut,
  signUp,
  storeRecoveryCode,
  titleHashIn,
  unlockWithCode,
} from "./testing/browser-steps.js";
import { undoCodeChange } from "./testing/person.js";
import { serveSite } from "./testing/serve-site.js";

const finish = "**/account/api/sign-up/finish";
const reminder = "You have not stored a recovery code.";

/** Fills the sign-up page in, and chooses a button. */
async function begin(page: Page, origin: string, button: string): Promise<void> {
  await page.goto(`${origin}/sign-up`);
  await page.getByLabel("Your name").fill("Ada");
  await page.getByRole("button", { name: button }).click();
}

/** Reloads the page. Resolves with whether it warned. */
async function reload(page: Page): Promise<boolean> {
  let warned = false;
  page.once("dialog", (dialog) => {
    warned = dialog.type() === "beforeunload";
    void dialog.accept();
  });
  await page.reload();
  return warned;
}

describe.skipIf(withoutChromium)("nobody loses an account or items at sign-up, in Chromium", () => {
  let browser: RunningBrowser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  it("without a passkey, a reload on the page of the recovery code warns, and leaves no account to be locked out of", async () => {
    const site = await serveSite();
    await using person = await openPersonPage(browser);
    const { page, problems } = person;
    await begin(page, site.origin, "Continue without a passkey");
    const lost = await shownRecoveryCode(page);
    expect(await reload(page)).toBe(true);
    await page.getByLabel("Your name").waitFor();
    expect(site.events).toEqual([]);
    const code = await signUp(page, site.origin, "Continue without a passkey");
    expect(code).not.toBe(lost);
    expect(site.events).toContainEqual(expect.objectContaining({ event: "created" }));
    const keys = await titleHashIn(page);
    await signOut(page);
    await signInWithCode(page, code);
    expect(await titleHashIn(page)).toBe(keys);
    expect(problems).toEqual([]);
  });

  it("the code is copied or downloaded without leaving the browser, and valid only when its last group was typed", async () => {
    const site = await serveSite();
    await using person = await openPersonPage(browser);
    const { page } = person;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await begin(page, site.origin, "Continue without a passkey");
    const shown = await shownRecoveryCode(page);
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("recovery-code.txt");
    expect(await readFile(await download.path(), "utf8")).toBe(`${shown}\n`);
    expect(sent.filter((url) => !url.startsWith("blob:"))).toEqual([]);
    await page.getByLabel("Last group of the code").fill("????");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("This is not the last group.").waitFor();
    expect(await page.getByLabel("Last group of the code").getAttribute("aria-invalid")).toBe("true");
    expect(site.events).toEqual([]);
    // While the server is away, the code stays on the page.
    await page.route(finish, (route) => route.abort());
    await page.getByLabel("Last group of the code").fill((await shownRecoveryCode(page)).slice(-4));
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("The server did not answer.").waitFor();
    await page.unroute(finish);
    await storeRecoveryCode(page);
  });

  it("after a restore that undid a change of it, the page after sign-in asks for the recovery code", async () => {
    const site = await serveSite();
    await using person = await openPersonPage(browser);
    const { page, problems } = person;
    const code = await signUp(page, site.origin, "Continue without a passkey");
    const created = site.events.find(({ event }) => event === "created");
    await undoCodeChange(site, created?.subject.replace("account:", "") ?? "");
    await page.goto(`${site.origin}/console`);
    await page.getByRole("heading", { name: "Confirm your recovery code" }).waitFor();
    await fillRecoveryCode(
      page,
      code.replace(/.$/, (last) => (last === "2" ? "3" : "2")),
    );
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.getByRole("alert").filter({ hasText: /\S/ }).waitFor();
    await page.reload();
    await fillRecoveryCode(page, code);
    await page.getByRole("button", { name: "Confirm" }).click();
    await page.waitForURL("**/console/security**");
    await page.goto(`${site.origin}/console`);
    await page.getByRole("heading", { name: "Confirm your recovery code" }).waitFor({ state: "detached" });
    expect(problems.filter((problem) => !/40[01]/.test(problem))).toEqual([]);
  });

  it("with a passkey, every page reminds the person after a reload, until the code is stored", async () => {
    const site = await serveSite();
    await using person = await openPersonPage(browser);
    const { page, problems } = person;
    await begin(page, site.origin, "Create a passkey");
    await shownRecoveryCode(page);
    const keys = await titleHashIn(page);
    expect(await reload(page)).toBe(true);
    await page.waitForURL("**/console**");
    expect(await person.passkeyCount()).toBe(1);
    for (const path of ["/account", "/device", "/console"]) {
      await page.goto(site.origin + path);
      await page.getByRole("complementary", { name: "Reminder" }).getByText(reminder).waitFor();
    }
    await page.getByRole("link", { name: "Store a recovery code" }).click();
    await page.getByRole("button", { name: "Create a recovery code" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use a passkey" }).click();
    const shown = page.getByRole("dialog", { name: "Your recovery code" });
    const code = (await shown.locator(".shown-code").textContent()) ?? "";
    await shown.getByLabel("Last group of the code").fill("????");
    await shown.getByRole("button", { name: "I have stored it" }).click();
    await shown.getByText("This is not the last group.").waitFor();
    await shown.getByLabel("Last group of the code").fill(code.slice(-4).toLowerCase());
    await shown.getByRole("button", { name: "I have stored it" }).click();
    await page.getByText(reminder).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Ada" }).click();
    await signOut(page);
    await signInWithCode(page, code);
    expect(await titleHashIn(page)).toBe(keys);
    expect(problems).toEqual([]);
  });

  it("a new code that is not confirmed replaces nothing", async () => {
    const site = await serveSite();
    await using person = await openPersonPage(browser);
    const { page } = person;
    const code = await signUp(page, site.origin);
    await page.getByRole("button", { name: "Create a new recovery code" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use a passkey" }).click();
    const unconfirmed = await shownRecoveryCode(page);
    expect(await reload(page)).toBe(true);
    await signOut(page);
    await fillRecoveryCode(page, unconfirmed);
    await page.keyboard.press("Enter");
    await page.getByText("Signing in failed").waitFor();
    await signInWithCode(page, code);
  });

  it("a sign-up that the server rejects removes the passkey from the device", async () => {
    const site = await serveSite();
    await using person = await openPersonPage(browser);
    const { page } = person;
    await page.route(finish, (route) =>
      route.fulfill({ status: 400, json: { reason: "PASSKEY_REJECTED", message: "The new passkey was rejected." } }),
    );
    await begin(page, site.origin, "Create a passkey");
    await page.getByText("The new passkey was rejected.").waitFor();
    await expect.poll(person.passkeyCount).toBe(0);
  });

  it.each([429, 503])(
    "a sign-up that the server answers with %d is sent again with the same passkey",
    async (status) => {
      const site = await serveSite();
      await using person = await openPersonPage(browser);
      const { page } = person;
      await page.route(finish, (route) =>
        route.fulfill({ status, json: { reason: "RATE_LIMITED", message: "Wait." } }),
      );
      await begin(page, site.origin, "Create a passkey");
      await page.getByText("Wait.").waitFor();
      expect(await person.passkeyCount()).toBe(1);
      await page.unroute(finish);
      await page.getByRole("button", { name: "Create a passkey" }).click();
      await storeRecoveryCode(page);
      expect(await person.passkeyCount()).toBe(1);
    },
  );

  it("a person who has reached the limit of new accounts creates no passkey", async () => {
    const site = await serveSite();
    await using person = await openPersonPage(browser);
    const { page } = person;
    await page.route("**/account/api/sign-up/begin", (route) =>
      route.fulfill({ status: 429, json: { reason: "RATE_LIMITED", message: "Wait a few minutes." } }),
    );
    await begin(page, site.origin, "Create a passkey");
    await page.getByText("Wait a few minutes.").waitFor();
    expect(await person.passkeyCount()).toBe(0);
    expect(await page.getByLabel("Your name").inputValue()).toBe("Ada");
  });

  it("a passkey that unlocks nothing leaves the device if the page is reloaded before the code is stored", async () => {
    const site = await serveSite();
    await using person = await openPersonPage(browser);
    const { page } = person;
    await person.useDevice("never");
    await begin(page, site.origin, "Create a passkey");
    await shownRecoveryCode(page);
    expect(await person.passkeyCount()).toBe(1);
    expect(await reload(page)).toBe(true);
    await page.getByLabel("Your name").waitFor();
    await expect.poll(person.passkeyCount).toBe(0);
    expect(site.events).toEqual([]);
  });

  it("a passkey that the account page cannot add leaves the device, and one that is stored stays", async () => {
    const site = await serveSite();
    await using person = await openPersonPage(browser);
    const { page } = person;
    const code = await signUp(page, site.origin);
    // As if the page had been reloaded before it knew that the server has stored the passkey.
    await page.evaluate(() => {
      const id = document.querySelector("[data-passkey-id]")?.getAttribute("data-passkey-id") ?? "";
      sessionStorage.setItem("accounts: a passkey that the server has not stored", id);
    });
    await page.reload();
    await page.getByText("Your items can be opened in this browser").waitFor();
    expect(await person.passkeyCount()).toBe(1);
    await person.useDevice("at creation");
    await page.route("**/account/api/passkeys/finish", (route) =>
      route.fulfill({ status: 409, json: { reason: "TOO_MANY_PASSKEYS", message: "Remove one first." } }),
    );
    await page.getByLabel("Name of a new passkey").fill("Phone");
    await page.keyboard.press("Enter");
    await unlockWithCode(page, code);
    await page.getByText("Remove one first.").waitFor();
    await expect.poll(person.passkeyCount).toBe(0);
    expect(await page.getByLabel("Name of a new passkey").inputValue()).toBe("Phone");
  });

  it("says next to the field why a name is not accepted, and accepts names with joiners", async () => {
    const site = await serveSite();
    await using person = await openPersonPage(browser);
    const { page, problems } = person;
    await page.goto(`${site.origin}/sign-up`);
    const field = page.getByLabel("Your name");
    await field.fill("Ada\u202e");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page
      .locator("#display-name-error")
      .getByText("A name cannot contain line breaks or invisible characters.")
      .waitFor();
    expect(await field.getAttribute("aria-describedby")).toContain("display-name-error");
    expect(await person.passkeyCount()).toBe(0);
    // A page that is older than the server shows the server's answer there, too.
    await page.route("**/account/api/sign-up/begin", (route) =>
      route.fulfill({ status: 400, json: { reason: "NAME_NOT_ALLOWED", message: "Not this name." } }),
    );
    await field.fill("علی\u200cرضا");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.locator("#display-name-error").getByText("Not this name.").waitFor();
    await page.unroute("**/account/api/sign-up/begin");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await storeRecoveryCode(page);
    await page.getByRole("link", { name: "علی\u200cرضا" }).waitFor();
    expect(problems).toEqual([]);
  });
});
