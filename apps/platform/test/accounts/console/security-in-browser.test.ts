import { signInWithCode, signUp } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations, isInWindow } from "@platform-rpc/accounts/testing/find-violations";
import { describe, expect } from "vitest";
import { copiesIn } from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";

describe("the page Security of the vault", () => {
  it("renames and removes a passkey, and ends another session", async ({ device: { origin }, page }) => {
    await signUp(page, origin);
    await page.goto(`${origin}/console/security`);
    const passkeys = page.getByRole("region", { name: "Passkeys" });
    const newName = passkeys.getByLabel("New name");
    await passkeys.getByText("Rename").click();
    await newName.fill("Work\u202ephone");
    await page.keyboard.press("Enter");
    // Next to the field, which keeps what was typed.
    await page
      .locator("form", { hasText: "New name" })
      .getByText("A name cannot contain line breaks or invisible")
      .waitFor();
    expect(await newName.inputValue()).toBe("Work\u202ephone");
    expect(await findViolations(page)).toEqual([]);
    await newName.fill("Work phone");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Work phone" }).waitFor();
    // A sign-in ends the earlier session of the same browser. Without its cookie, this is another browser.
    const cookies = await page.context().cookies();
    await page.goto("about:blank");
    await page.context().clearCookies();
    await page.goto(`${origin}/sign-in`);
    await page.getByRole("button", { name: "Continue with a passkey" }).click();
    await page.waitForURL("**/console**");
    await page.goto(`${origin}/console/security`);
    // What came of it is seen, wherever the page is scrolled.
    await page.setViewportSize({ width: 390, height: 500 });
    const end = async (said: string) => {
      await page.getByRole("button", { name: "End the session" }).click();
      await expect.poll(() => isInWindow(page.getByText(said))).toBe(true);
    };
    await page.route("**/account/api/access/end", (route) => route.abort(), { times: 1 });
    await end("The server did not answer.");
    await end("The session of Chrome on Linux has ended.");
    await page.getByRole("button", { name: "Remove the passkey Work phone" }).click();
    const question = page.getByRole("dialog", { name: "Remove this passkey?" });
    await question.getByText("This is your last passkey.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await question.getByRole("button", { name: "Cancel" }).click();
    const kept = async () => (await copiesIn(page)).join();
    await expect.poll(kept).toMatch(/"passkeys":\[\{/);
    await page.getByRole("button", { name: "Remove the passkey Work phone" }).click();
    await question.getByRole("button", { name: "Remove Work phone" }).click();
    await page.getByText("You sign in with your recovery code.").waitFor();
    // It does not open the vault without a network any more, either.
    await expect.poll(kept).toContain('"passkeys":[]');
    // A page that is still open would notice that its session has ended, and leave by itself.
    await page.goto("about:blank");
    await page.context().addCookies(cookies);
    await page.goto(`${origin}/console/security`);
    await page.waitForURL("**/sign-in?next=*");
  });

  it("announces one new device at a time", async ({ device: { origin }, openPerson, page }) => {
    const code = await signUp(page, origin);
    for (const _ of ["first", "second"]) {
      const { page: other } = await openPerson();
      await other.goto(`${origin}/sign-in`);
      await signInWithCode(other, code);
    }
    await page.reload();
    const notices = page.getByText(/^New sign-in: /);
    await notices.getByText("and 1 before it.").waitFor();
    expect(await notices.count()).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "It was me" }).click();
    await page.getByText("and 1 before it.").waitFor({ state: "detached" });
  });
});
