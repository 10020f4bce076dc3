import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { brandName } from "../src/pages/brand.js";
import {
  fillRecoveryCode,
  shownRecoveryCode,
  signInWithCode,
  signOut,
  signUp,
  storeRecoveryCode,
  titleHashIn,
  waitForTitle,
} from "../src/testing/browser-steps.js";
import { findViolations, isInWindow } from "../src/testing/find-violations.js";
import { it } from "../src/testing/in-browser.js";
import { undoCodeChange } from "../src/testing/person.js";

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

describe("nobody loses an account or items at sign-up, in Chromium", () => {
  it("without a passkey, a reload on the page of the recovery code warns, and leaves no account to be locked out of", async ({
    page,
    site,
  }) => {
    await begin(page, site.origin, "Continue without a passkey");
    const lost = await shownRecoveryCode(page);
    expect(await page.getByRole("button", { name: "Not now" }).isVisible()).toBe(false);
    await page.getByRole("link", { name: brandName }).click();
    await page.getByRole("dialog").getByText("If you leave now, no account is created").waitFor();
    await page.getByRole("button", { name: "Back to the code" }).click();
    expect(await shownRecoveryCode(page)).toBe(lost);
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
  });

  it("the code is copied or downloaded without leaving the browser, and valid only when its last group was typed", async ({
    page,
    site,
  }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.clock.install();
    await begin(page, site.origin, "Continue without a passkey");
    const shown = await shownRecoveryCode(page);
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    const copy = page.getByRole("button", { name: "Copy", exact: true });
    await copy.click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException("", "NotAllowedError"));
    });
    await page.clock.fastForward(2_000);
    await copy.click();
    await page.getByRole("button", { name: "Not copied: the browser does not allow it" }).waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("recovery-code.txt");
    const today = new Date().toLocaleDateString("en-GB", { dateStyle: "long" });
    const note = `Platform: recovery code of Ada\n${site.origin}\n${today}`;
    expect(await readFile(await download.path(), "utf8")).toBe(`${note}\n\n${shown}\n`);
    // Also on paper.
    await page.emulateMedia({ media: "print" });
    await page.getByText("Platform: recovery code of Ada").waitFor();
    await page.emulateMedia({ media: null });
    expect(sent.filter((url) => !url.startsWith("blob:"))).toEqual([]);
    await page.getByLabel("Last group of the code").fill("????");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("This is not the last group.").waitFor();
    expect(await page.getByLabel("Last group of the code").getAttribute("aria-invalid")).toBe("true");
    expect(site.events).toEqual([]);
    // While the server is away, the code stays on the page.
    await page.route(finish, (route) => route.abort());
    await page.getByLabel("Last group of the code").fill((await shownRecoveryCode(page)).slice(-4));
    // The message is where the button is, also in a small window.
    await page.setViewportSize({ width: 390, height: 500 });
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("The server did not answer.").waitFor();
    expect(await isInWindow(page.getByText("The server did not answer."))).toBe(true);
    expect(await isInWindow(page.getByRole("button", { name: "Continue" }))).toBe(true);
    await page.unroute(finish);
    await storeRecoveryCode(page);
  });

  it("after a restore that undid a change of it, the page after sign-in asks for the recovery code", async ({
    page,
    site,
  }) => {
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
  });

  it("or a passkey creates a new code there", async ({ page, site }) => {
    const lost = await signUp(page, site.origin);
    const created = site.events.find(({ event }) => event === "created");
    await undoCodeChange(site, created?.subject.replace("account:", "") ?? "");
    await page.goto(`${site.origin}/console`);
    await waitForTitle(page, "Confirm your recovery code");
    const found = await findViolations(page);
    await page.getByRole("button", { name: "Create a new recovery code" }).click();
    await shownRecoveryCode(page);
    found.push(...(await findViolations(page)));
    expect(await storeRecoveryCode(page, "Security")).not.toBe(lost);
    expect(found).toEqual([]);
  });

  it("with a passkey, every page reminds the person after a reload, until the code is stored", async ({
    page,
    person,
    site,
  }) => {
    await begin(page, site.origin, "Create a passkey");
    await shownRecoveryCode(page);
    const keys = await titleHashIn(page);
    expect(await reload(page)).toBe(true);
    await page.waitForURL("**/console**");
    expect(await person.passkeyCount()).toBe(1);
    for (const path of ["/device", "/console"]) {
      await page.goto(site.origin + path);
      await page.getByRole("complementary", { name: "Reminder" }).getByText(reminder).waitFor();
    }
    await page.getByRole("link", { name: "Store a recovery code" }).click();
    await page.getByRole("button", { name: "Create a recovery code" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use a passkey" }).click();
    const shown = page.getByRole("dialog", { name: "Your recovery code" });
    await shown.waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Leave without this code?" }).waitFor();
    await page.getByRole("button", { name: "Back to the code" }).click();
    const code = (await shown.locator(".shown-code").textContent()) ?? "";
    await shown.getByLabel("Last group of the code").fill("????");
    await shown.getByRole("button", { name: "I have stored it" }).click();
    await shown.getByText("This is not the last group.").waitFor();
    await shown.getByLabel("Last group of the code").fill(code.slice(-4).toLowerCase());
    await shown.getByRole("button", { name: "I have stored it" }).click();
    await shown.waitFor({ state: "detached" });
    await page.getByText(reminder).waitFor({ state: "detached" });
    await signOut(page);
    await signInWithCode(page, code);
    expect(await titleHashIn(page)).toBe(keys);
  });

  it("a sign-up that the server rejects removes the passkey from the device", async ({ page, person, site }) => {
    await page.route(finish, (route) =>
      route.fulfill({ status: 400, json: { reason: "PASSKEY_REJECTED", message: "The new passkey was rejected." } }),
    );
    await begin(page, site.origin, "Create a passkey");
    await page.getByText("The new passkey was rejected.").waitFor();
    await expect.poll(person.passkeyCount).toBe(0);
  });

  it("a sign-up that fails is sent again with the same passkey", async ({ page, person, site }) => {
    await page.route(finish, (route) =>
      route.fulfill({ status: 503, json: { reason: "UNAVAILABLE", message: "Wait." } }),
    );
    await begin(page, site.origin, "Create a passkey");
    await page.getByText("Wait.").waitFor();
    expect(await person.passkeyCount()).toBe(1);
    await page.unroute(finish);
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await storeRecoveryCode(page);
    expect(await person.passkeyCount()).toBe(1);
  });

  it("a person who has reached the limit of new accounts creates no passkey", async ({ page, person, site }) => {
    await page.route("**/account/api/sign-up/begin", (route) =>
      route.fulfill({ status: 429, json: { reason: "RATE_LIMITED", message: "Wait a few minutes." } }),
    );
    await begin(page, site.origin, "Create a passkey");
    await page.getByText("Wait a few minutes.").waitFor();
    expect(await person.passkeyCount()).toBe(0);
    expect(await page.getByLabel("Your name").inputValue()).toBe("Ada");
  });

  it("a passkey that unlocks nothing leaves the device if the page is reloaded before the code is stored", async ({
    page,
    person,
    site,
  }) => {
    await person.useDevice("never");
    await begin(page, site.origin, "Create a passkey");
    await shownRecoveryCode(page);
    expect(await person.passkeyCount()).toBe(1);
    expect(await reload(page)).toBe(true);
    await page.getByLabel("Your name").waitFor();
    await expect.poll(person.passkeyCount).toBe(0);
    expect(site.events).toEqual([]);
  });

  it("says next to the field why a name is not accepted, and accepts names with joiners", async ({
    page,
    person,
    site,
  }) => {
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
    await field.fill("علی\u200cرضا");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await storeRecoveryCode(page);
    await page.getByRole("button", { name: "علی\u200cرضا" }).waitFor();
  });
});
