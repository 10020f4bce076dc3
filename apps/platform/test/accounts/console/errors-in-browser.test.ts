import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { describe, expect } from "vitest";
import { itemLink, openConsole, openedItem } from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";
import { place } from "../testing/start-demo.js";

describe("errors of the console in Chromium", () => {
  it("shows the reason, the request id and the page of a refused deletion", async ({ demo, demoVault: page }) => {
    const member = { ...place, principalId: "demo-user" };
    await demo.vaults.setVaultMember({ ...member, role: "viewer" });
    await itemLink(page, "Example card").click();
    const item = openedItem(page, "Example card");
    const refused = page.waitForResponse("**/platform.accounts.v1.MemberVaultService/DeleteItems");
    await item.getByRole("button", { name: "Delete", exact: true }).click();
    const requestId = (await (await refused).headerValue("X-Request-Id")) ?? "";
    const alert = item.getByRole("alert");
    await alert.getByText("You can only view this vault.").waitFor();
    expect(await alert.getByText("ROLE_FORBIDS_DELETE").first().isVisible()).toBe(false);
    await alert.getByText("Details for support").click();
    await alert.getByText("Reason ROLE_FORBIDS_DELETE").waitFor();
    await alert.getByText(requestId, { exact: true }).waitFor();
    const link = alert.getByRole("link", { name: "What to do about ROLE_FORBIDS_DELETE" });
    expect(await link.getAttribute("href")).toMatch(/\/docs\/errors\/ROLE_FORBIDS_DELETE$/);
    expect(await findViolations(page)).toEqual([]);
    await demo.vaults.setVaultMember({ ...member, role: "owner" });
  });

  it("shows why the accounts origin gives no token, and lists the vaults when it does again", async ({
    demo,
    page,
  }) => {
    await page.route("**/account/api/token", (route) => {
      const json = { reason: "RATE_LIMITED", message: "Too many requests. Wait a few minutes." };
      return route.fulfill({ status: 429, json, headers: { "X-Request-Id": "request-1" } });
    });
    await openConsole(page, demo);
    const alert = page.getByRole("alert");
    await alert.getByText("Too many requests. Wait a few minutes.").waitFor();
    await alert.getByText("Details for support").click();
    await alert.getByText("Reason RATE_LIMITED, request request-1.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.unroute("**/account/api/token");
    const again = page.getByRole("button", { name: "Try again" });
    const listed = page.getByRole("link", { name: "Demo", exact: true });
    // For a second after a failure, the client does not ask for a token. The button leaves the page when the vaults are listed.
    const isListed = async () => {
      await again.or(listed).first().click();
      return listed.isVisible();
    };
    await expect.poll(isListed, { interval: 200 }).toBe(true);
  });
});
