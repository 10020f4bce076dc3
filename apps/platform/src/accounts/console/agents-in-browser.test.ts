import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { openPersonPage, startChromium, withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { enterUserCode, signUp, waitForTitle } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { errorIn } from "../../testing/call.js";
import { openConsole, place, startDemo } from "../testing/console-steps.js";
import { startDeviceSite } from "../testing/device-site.js";

const minute = 60_000;
const day = 24 * 60 * minute;

/** Presses Tab until the button with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press("Tab");
    const focused = page.locator(":focus");
    if ((await focused.getAttribute("aria-label"))?.startsWith(name) || (await focused.textContent()) === name) return;
  }
  throw new Error(`No Tab reaches ${name}.`);
}

/** The entries of the page, which name what each software may still do. */
const allowance = (page: Page, text: string) => page.locator(".allowance").filter({ hasText: text });

describe.skipIf(withoutChromium)("the page Agents & apps of the console", () => {
  it("ends the access of software with the keyboard alone, after a confirmation, also after a new sign-in", async () => {
    const { origin, startOauth, advance } = await startDeviceSite();
    await using browser = await startChromium();
    await using person = await openPersonPage(browser);
    const { page, problems } = person;
    await signUp(page, origin);
    await page.goto(`${origin}/console/agents`);
    await page.getByText("None. Software asks for access with a code").waitFor();
    expect(await findViolations(page)).toEqual([]);

    const agent = await startOauth();
    await enterUserCode(page, origin, agent.userCode);
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "Approved");
    await agent.collect();
    await page.goto(`${origin}/console/agents`);
    await page.getByText("25 of 25 deletions left in").waitFor();
    await page.getByText("Signed in from 127.0.0.1, ").waitFor();
    expect(await findViolations(page)).toEqual([]);

    advance(6 * minute);
    await tabTo(page, "Remove access of Agent");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Remove the access of Agent?" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await tabTo(page, "Remove access");
    await page.keyboard.press("Enter");
    await page.getByText("You signed in more than 5 minutes ago.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Sign in again" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Continue with a passkey", disabled: false }).press("Enter");
    await page.waitForURL("**/console/agents");
    // The person is back where they were.
    await page.locator(":focus[aria-label^='Remove access of Agent']").waitFor();
    await page.keyboard.press("Enter");
    await tabTo(page, "Remove access");
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Agent no longer has access.").waitFor();
    await page.getByText("None. Software asks for access with a code").waitFor();
    expect(await page.locator(":focus").textContent()).toBe("Agents & apps");
    expect(await findViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it.each([1024, 390])("an agent with a budget, at %d px: says what is left, gives more, ends it", async (width) => {
    await using demo = await startDemo();
    const { origin, vaults } = demo;
    await vaults.createVault({ tenantId: place.tenantId, vaultId: "second", retentionDays: 30 });
    const member = { tenantId: place.tenantId, vaultId: "second", principalId: "demo-user", role: "owner" };
    await vaults.setVaultMember(member);
    const endsAt = Date.now() + 3 * day;
    const agent = await demo.approveAgent({
      vaultIds: [place.vaultId],
      maxDeletions: 2,
      expiresAt: timestampFromMs(endsAt),
    });
    const other = await demo.approveAgent({ maxDeletions: 5 });
    const weekday = new Intl.DateTimeFormat("en", { weekday: "long" }).format(endsAt);
    await using person = await demo.openPage({ width });
    const { page, problems } = person;
    const shown = async () => {
      expect(await findViolations(page)).toEqual([]);
      await page.setViewportSize({ width, height: 800 });
    };

    await openConsole(page, demo);
    await page.goto(`${demo.origin}/console/agents`);
    await allowance(page, `2 of 2 deletions left in demo-vault, until ${weekday}.`).waitFor();
    expect(await page.title()).toBe("Agents & apps · Platform");
    // Each login has its own budget.
    await allowance(page, "5 of 5 deletions left in all your vaults, until").waitFor();
    await shown();

    expect((await agent.remove("demo-login", 1)).status).toBe(200);
    // The page notices it by itself.
    await allowance(page, "1 of 2 deletions left").waitFor();
    await allowance(page, "5 of 5 deletions left").waitFor();
    expect((await agent.remove("demo-note", 1)).status).toBe(200);
    const refused = await agent.remove("demo-card", 1);
    expect(errorIn(refused)).toMatchObject({ status: 403, reason: "DELEGATION_EXHAUSTED" });
    expect(refused.json).toMatchObject({
      details: [{ debug: { metadata: { allowed: "2", used: "2", page: `${origin}/console/agents` } } }],
    });

    // The page that the error names, in another tab.
    const second = await page.context().newPage();
    await second.goto(`${origin}/console/agents`);
    const entry = (of: Page) => of.getByRole("listitem").filter({ hasText: "of 2 deletions left" });
    await entry(second).getByRole("button", { name: "Give more" }).click();
    await second.getByRole("dialog", { name: "Give more to Demo agent" }).waitFor();

    await page.reload();
    await entry(page).getByRole("button", { name: "Give more" }).click();
    const sheet = page.getByRole("dialog", { name: "Give more to Demo agent" });
    await sheet.getByText("So far: 0 of 2 deletions left in demo-vault").waitFor();
    await shown();
    const give = sheet.getByRole("button", { name: "Give more" });
    await give.click();
    await sheet.getByText("You have not changed anything yet.").waitFor();
    await sheet.getByLabel("More deletions").fill("-1");
    await sheet.getByRole("checkbox", { name: "demo-vault" }).uncheck();
    await sheet.getByLabel("Until").fill("2020-01-01T00:00");
    await give.click();
    for (const [field, error] of [
      [sheet.getByLabel("More deletions"), "Enter a whole number from 0 to"],
      [sheet.getByRole("group", { name: "Vaults" }), "Choose at least one vault."],
      [sheet.getByLabel("Until"), "Choose a time in the future."],
    ] as const) {
      await expect
        .poll(() =>
          field.evaluate((one) => {
            const id = one.getAttribute("aria-describedby") ?? "";
            return document.getElementById(id)?.textContent;
          }),
        )
        .toContain(error);
    }
    await shown();
    await sheet.getByLabel("More deletions").fill("1");
    await sheet.getByRole("checkbox", { name: "demo-vault" }).check();
    await sheet.getByRole("checkbox", { name: "second" }).check();
    const later = new Date(endsAt + day - new Date().getTimezoneOffset() * minute);
    await sheet.getByLabel("Until").fill(later.toISOString().slice(0, 16));
    await give.click();
    await page.getByRole("status").getByText("What Demo agent may do has changed.").waitFor();
    await allowance(page, "1 of 3 deletions left in demo-vault and second, until").waitFor();

    // The other tab has opened the sheet before.
    const outdated = second.getByRole("dialog", { name: "Give more to Demo agent" });
    await outdated.getByLabel("More deletions").fill("1");
    await outdated.getByRole("button", { name: "Give more" }).click();
    await outdated.getByText("What this software may do was changed at the same time.").waitFor();
    await outdated.getByText("Now: 1 of 3 deletions left in demo-vault and second").waitFor();
    // Another try would not take back what the other tab has given.
    expect(await outdated.getByRole("checkbox", { name: "second" }).isChecked()).toBe(true);
    await outdated.getByRole("button", { name: "Cancel" }).click();
    await second.close();

    // The same token works again.
    expect((await agent.remove("demo-card", 1)).status).toBe(200);

    await page.reload();
    await page.getByRole("link", { name: "What Demo agent did" }).first().click();
    const did = page.getByRole("list").filter({ hasText: "Deleted an item" });
    await did.getByText("Demo agent, for you").first().waitFor();
    await page.getByText("Only the software demo-agent.").waitFor();
    expect(await page.getByText("Signed in with recovery code").count()).toBe(0);
    await shown();
    await page.goBack();
    const left = page.getByRole("listitem").filter({ hasText: "0 of 3 deletions left" });
    await left.getByRole("button", { name: "Remove access" }).click();
    const question = page.getByRole("dialog", { name: "Remove the access of Demo agent?" });
    await shown();
    await question.getByRole("button", { name: "Cancel" }).click();
    await left.getByRole("button", { name: "Remove access" }).click();
    const ended = page.waitForResponse("**/account/api/delegations/end");
    await question.getByRole("button", { name: "Remove access" }).click();
    await ended;
    const endedAt = performance.now();
    let lastAccepted = 0;
    // It deletes nothing: the item has another version.
    await expect
      .poll(
        async () => {
          const calledAt = performance.now();
          const { status } = await agent.remove("demo-card", 1);
          if (status !== 401) lastAccepted = calledAt;
          return status;
        },
        { interval: 10 },
      )
      .toBe(401);
    expect(lastAccepted - endedAt).toBeLessThan(1_000);
    await page.getByRole("status").getByText("Demo agent no longer has access.").waitFor();
    await left.waitFor({ state: "detached" });
    expect((await other.remove("demo-api-key", 1)).status).toBe(200);
    await allowance(page, "4 of 5 deletions left").waitFor();
    expect(problems).toEqual([]);
  });
});
