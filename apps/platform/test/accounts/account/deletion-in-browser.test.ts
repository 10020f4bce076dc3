import { fillRecoveryCode, signUp, waitForTitle } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { content } from "@platform-rpc/accounts/testing/item-content";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import * as z from "zod";
import { recordsIn } from "../testing/console-steps.js";
import type { DeviceSite } from "../testing/device-site.js";
import { it } from "../testing/in-browser.js";

/** Signs a person up who has one item. */
async function setUp(page: Page, { origin, tenantId, admin }: DeviceSite) {
  const recoveryCode = await signUp(page, origin);
  const { principalId: vaultId } = z
    .object({ principalId: z.string() })
    .parse(await page.evaluate(async () => (await fetch("/account/api/session")).json()));
  await admin("VaultAdminService/PutItem", { tenantId, vaultId, itemId: "i-1", ...content });
  await page.goto(`${origin}/console/person`);
  /** Lists the items of the personal vault. */
  const listItems = () => admin("VaultAdminService/ListChanges", { tenantId, vaultId, limit: 10 });
  return { recoveryCode, listItems };
}

describe("a person deletes their account, in Chromium", () => {
  it("after typing their name: this browser forgets them, other tabs are locked, and nothing signs in any more", async ({
    device,
    page,
    person: { passkeyCount },
  }) => {
    const { origin } = device;
    const { recoveryCode, listItems } = await setUp(page, device);
    const other = await page.context().newPage();
    await other.goto(`${origin}/console`);
    for (const kept of ["platform-vault ", "platform-vault-copies vault,"]) {
      await expect.poll(() => recordsIn(page)).toContainEqual(expect.stringContaining(kept));
    }
    await page.getByRole("button", { name: "Delete your account" }).click();
    const question = page.getByRole("dialog", { name: "Delete your account?" });
    const button = question.getByRole("button", { name: "Delete for ever" });
    expect(await button.isDisabled()).toBe(true);
    await question.getByLabel("Type your name to confirm").fill("ada");
    expect(await button.isDisabled()).toBe(true);
    await question.getByLabel("Type your name to confirm").fill(" Ada ");
    expect(await findViolations(page)).toEqual([]);
    await button.click();

    await waitForTitle(page, "Your account is deleted");
    expect(await findViolations(page)).toEqual([]);
    await other.waitForURL("**/sign-in?ended=*");
    expect(await recordsIn(page)).toEqual([]);
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain("__Host-session");
    await expect.poll(passkeyCount).toBe(0);
    expect(await listItems()).toMatchObject({ changes: [{ item: { itemId: "i-1", deleted: true } }] });

    await page.goto(`${origin}/sign-in`);
    await fillRecoveryCode(page, recoveryCode);
    await page.keyboard.press("Enter");
    await page.getByText("does not belong to an active account").waitFor();
    await signUp(page, origin);
  });

  it("and sees that it is deleted, also when the page notices the end of the session before the answer", async ({
    device,
    page,
  }) => {
    await setUp(page, device);
    await page.route("**/account/api/person/delete", async (route) => {
      const noticed = page.waitForResponse((each) => each.url().endsWith("/session") && each.status() === 401);
      const response = await route.fetch();
      await noticed;
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "Delete your account" }).click();
    const question = page.getByRole("dialog", { name: "Delete your account?" });
    await question.getByLabel("Type your name to confirm").fill("Ada");
    await question.getByRole("button", { name: "Delete for ever" }).click();
    await waitForTitle(page, "Your account is deleted");
  });
});
