import { enterUserCode, signOut, signUp, waitForTitle } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations, isInWindow } from "@platform-rpc/accounts/testing/find-violations";
import { describe, expect } from "vitest";
import { it } from "../testing/in-browser.js";

describe("the device page in Chromium", () => {
  it("a code in the URL fills the field, and sign-in leads back to it and to the approval", async ({
    device: { origin, startDevice, exchange },
    page,
  }) => {
    await signUp(page, origin);
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
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "Approved");
  });

  it("the keyboard reaches every control, Deny before Approve, with a visible focus, and Enter approves", async ({
    device: { origin, startDevice, exchange },
    page,
  }) => {
    await signUp(page, origin);
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
        "signed-in-as",
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
  });

  it("at 390 px all that matters is in the window, without the names of scopes, and a field with an error is, too", async ({
    device: { origin, startDevice, exchange },
    page,
  }) => {
    await signUp(page, origin);
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
  });

  it("works without JavaScript for a person who has signed in", async ({
    chromium: { browser },
    device: { origin, startDevice, exchange },
    page: signedIn,
  }) => {
    await signUp(signedIn, origin);
    const storageState = await signedIn.context().storageState();
    const context = await browser.newContext({ javaScriptEnabled: false, storageState });
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
