import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { beforeAll, describe, expect, it } from "vitest";
import { type DemoInBrowser, openConsole, openVault, place, rewrite, startDemo } from "../testing/console-steps.js";

const listChanges = "**/platform.accounts.v1.MemberVaultService/ListChanges";

describe.skipIf(withoutChromium)("errors of the console in Chromium", () => {
  let demo: DemoInBrowser;
  beforeAll(async () => {
    demo = await startDemo();
    return () => demo[Symbol.asyncDispose]();
  });

  it("shows the reason, the request id and the page of a refused deletion", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openVault(page, demo);
    const member = { ...place, principalId: "demo-user" };
    await demo.vaults.setVaultMember({ ...member, role: "viewer" });
    await page.getByRole("button", { name: "Example card" }).click();
    const dialog = page.getByRole("dialog");
    const refused = page.waitForResponse("**/platform.v1.VaultService/DeleteItem");
    await dialog.getByRole("button", { name: "Delete" }).click();
    const requestId = (await (await refused).headerValue("X-Request-Id")) ?? "";
    const alert = dialog.getByRole("alert");
    await alert.getByText("Reason ROLE_FORBIDS_DELETE").waitFor();
    await alert.getByText(requestId, { exact: true }).waitFor();
    const link = alert.getByRole("link", { name: "What to do about ROLE_FORBIDS_DELETE" });
    expect(await link.getAttribute("href")).toMatch(/\/docs\/errors\/ROLE_FORBIDS_DELETE$/);
    expect(await findViolations(page)).toEqual([]);
    await demo.vaults.setVaultMember({ ...member, role: "owner" });
    expect(problems).toEqual([]);
  });

  it("shows why the accounts origin gives no token, and lists the vaults when it does again", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await page.route("**/account/api/token", (route) => {
      const json = { reason: "RATE_LIMITED", message: "Too many requests. Wait a few minutes." };
      return route.fulfill({ status: 429, json, headers: { "X-Request-Id": "request-1" } });
    });
    await openConsole(page, demo);
    const alert = page.getByRole("alert");
    await alert.getByText("Too many requests. Wait a few minutes.").waitFor();
    await alert.getByText("Reason RATE_LIMITED, request request-1.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.unroute("**/account/api/token");
    const again = page.getByRole("button", { name: "Try again" });
    // For a second after a failure, the client does not ask for a token.
    const isListed = async () => {
      if (await again.isVisible()) await again.click();
      return page.getByRole("link", { name: "demo-vault" }).isVisible();
    };
    await expect.poll(isListed, { interval: 200 }).toBe(true);
    expect(problems).toEqual([]);
  });

  it("says that the vault was restored when its position is ahead of it, and reads it again", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openVault(page, demo);
    await page.getByText("Live: changes appear at once.").waitFor();
    const asked: number[] = [];
    // As if the vault had been restored: the server does not know the position of the next call.
    await page.route(listChanges, async (route) => {
      const wanted = route.request().postDataJSON();
      asked.push(wanted.afterSequence ?? 0);
      if (asked.length > 1) return route.continue();
      return route.continue({ postData: JSON.stringify({ ...wanted, afterSequence: 1_000_000, waitSeconds: 0 }) });
    });
    await rewrite(demo.vaults, "demo-card");
    await page.getByText("The vault was restored from a backup, and read again from the start.").waitFor();
    await page.getByRole("button", { name: "Example card" }).waitFor();
    expect(asked[1]).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("continues from its position after a gap, and misses no change", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await page.setViewportSize({ width: 1024, height: 800 });
    await openVault(page, demo);
    await page.getByText("Live: changes appear at once.").waitFor();
    await page.context().setOffline(true);
    await page.route(listChanges, (route) => route.abort());
    const { item } = await demo.vaults.getItem({ ...place, itemId: "demo-card" });
    const version = item?.version ?? 0;
    await rewrite(demo.vaults, "demo-card");
    await rewrite(demo.vaults, "demo-login");
    await page.getByText("Reconnecting").waitFor();
    await page.getByText("Reason NETWORK_ERROR").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 800 });
    const asked: number[] = [];
    await page.unroute(listChanges);
    page.on("request", (request) => {
      if (request.url().endsWith("/ListChanges")) asked.push(request.postDataJSON().afterSequence ?? 0);
    });
    await page.context().setOffline(false);
    await page.getByRole("row", { name: `Example card card ${version + 1}` }).waitFor();
    await page.getByText("Live: changes appear at once.").waitFor();
    expect(asked[0]).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });
});
