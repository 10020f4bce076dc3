import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { enterUserCode, signUp, waitForTitle } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { errorIn } from "../../../src/testing/call.js";
import { openConsole } from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";
import { place } from "../testing/start-demo.js";

const minute = 60_000;
const day = 24 * 60 * minute;

/** How often the page asks what was used, in milliseconds. */
const asksEvery = 10_000;

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

describe("the page Agents & apps of the console", () => {
  it("ends the access of software with the keyboard alone, after a confirmation, also after a new sign-in", async ({
    device: { origin, startOauth, advance },
    page,
  }) => {
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
    await page.getByText("delete 25 more (of 25)").or(page.getByText("delete 25 more items (of 25)")).waitFor();
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
  });

  it("an agent that uses items: says what is left, changes it, and lists each use by title and host", async ({
    demo,
    page,
  }) => {
    const { origin } = demo;
    const use = await demo.approveUses({ vaultIds: [place.vaultId], maxUses: 3, hosts: ["api.example.com"] });
    expect((await use("demo-login", "api.example.com")).status).toBe(200);
    expect(errorIn(await use("demo-login", "b.example"))).toMatchObject({ reason: "USE_NOT_APPROVED" });
    await openConsole(page, demo);
    await page.goto(`${origin}/console/agents`);
    const entry = page.getByRole("listitem").filter({ hasText: "(of " });
    await entry
      .getByText("Can use items 2 more times (of 3) at api.example.com, without seeing them, in Demo")
      .waitFor();
    await entry.getByRole("button", { name: "Change limits" }).click();
    const sheet = page.getByRole("dialog", { name: "Limits of Platform MCP server" });
    await sheet.getByLabel("Websites").fill("api.example.com\nhttps://B.example/v1");
    await sheet.getByLabel("Times it may still use items").fill("9");
    await sheet.getByLabel("Ask me each time").check();
    expect(await findViolations(page)).toEqual([]);
    await sheet.getByRole("button", { name: "Save limits" }).click();
    await entry.getByText("Can ask you to use items 9 more times (of 10) at api.example.com and b.example").waitFor();
    await page.goto(`${origin}/console/activity`);
    await page.getByRole("heading", { name: "Used Example mail at api.example.com, 1 of 3" }).waitFor();
    await page.getByText("Platform MCP server, for you").first().waitFor();
    expect(await findViolations(page)).toEqual([]);
  });

  it("an agent with a budget: says what is left, and changes its limits, unless another tab has", async ({
    demo,
    page,
  }) => {
    const { origin } = demo;
    const endsAt = Date.now() + 3 * day;
    const agent = await demo.approveAgent({
      vaultIds: [place.vaultId],
      maxDeletions: 2,
      expiresAt: timestampFromMs(endsAt),
    });
    const weekday = new Intl.DateTimeFormat("en", { weekday: "long" }).format(endsAt);

    await page.clock.install();
    await openConsole(page, demo);
    await page.goto(`${origin}/console/agents`);
    // The token that the demo prints is not renewed.
    const unlimited = page
      .getByRole("listitem")
      .filter({ hasText: "It has one token, whose limits cannot be changed." });
    await unlimited.getByRole("button", { name: "Remove access" }).waitFor();
    expect(await unlimited.getByRole("button", { name: "Change limits" }).count()).toBe(0);
    await allowance(page, `Can delete 2 more items (of 2) in Demo, until ${weekday}.`).waitFor();
    expect(await page.title()).toBe("Agents & apps · Platform");
    expect(await findViolations(page)).toEqual([]);

    expect((await agent.remove("demo-login", 1)).status).toBe(200);
    // The page notices it by itself.
    await page.clock.runFor(asksEvery);
    await allowance(page, "Can delete 1 more item (of 2)").waitFor();
    expect((await agent.remove("demo-note", 1)).status).toBe(200);
    expect(errorIn(await agent.remove("demo-card", 1))).toMatchObject({ status: 403, reason: "DELEGATION_EXHAUSTED" });

    // The page that the error names, in another tab.
    const second = await page.context().newPage();
    await second.goto(`${origin}/console/agents`);
    const entry = (of: Page) => of.getByRole("listitem").filter({ hasText: "(of 2)" });
    await entry(second).getByRole("button", { name: "Change limits" }).click();
    await second.getByRole("dialog", { name: "Limits of Demo agent" }).waitFor();

    await page.reload();
    await entry(page).getByRole("button", { name: "Change limits" }).click();
    const sheet = page.getByRole("dialog", { name: "Limits of Demo agent" });
    await sheet.getByText("So far: Can delete no more items (of 2) in Demo").waitFor();
    expect(await findViolations(page)).toEqual([]);
    const give = sheet.getByRole("button", { name: "Save limits" });
    await sheet.getByLabel("Items it may still delete").fill("-1");
    await give.click();
    const described = () =>
      sheet.getByLabel("Items it may still delete").evaluate((field) => {
        const ids = field.getAttribute("aria-describedby")?.split(" ") ?? [];
        return document.getElementById(ids.at(-1) ?? "")?.textContent;
      });
    await expect.poll(described).toContain("Enter a whole number from 0 to");
    expect(await findViolations(page)).toEqual([]);
    await sheet.getByLabel("Items it may still delete").fill("1");
    await give.click();
    await page.getByRole("status").getByText("What Demo agent may do has changed.").waitFor();
    await allowance(page, "Can delete 1 more item (of 3) in Demo, until").waitFor();

    // The other tab has opened the sheet before.
    const outdated = second.getByRole("dialog", { name: "Limits of Demo agent" });
    await outdated.getByLabel("Items it may still delete").fill("2");
    await outdated.getByRole("button", { name: "Save limits" }).click();
    await outdated.getByText("What this software may do was changed at the same time.").waitFor();
    await outdated.getByText("Now: Can delete 1 more item (of 3) in Demo").waitFor();
    await outdated.getByRole("button", { name: "Save limits" }).click();
    await allowance(second, "Can delete 2 more items (of 4) in Demo, until").waitFor();
    await second.close();

    // The same token works again.
    expect((await agent.remove("demo-card", 1)).status).toBe(200);
  });
});
