import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { beforeAll, describe, expect, it } from "vitest";
import {
  badge,
  type DemoInBrowser,
  itemLink,
  openConsole,
  openedItem,
  openVault,
  place,
  rewrite,
  startDemo,
} from "../testing/console-steps.js";

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
    await itemLink(page, "Example card").click();
    const item = openedItem(page, "Example card");
    const refused = page.waitForResponse("**/platform.v1.VaultService/DeleteItem");
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
    await alert.getByText("Details for support").click();
    await alert.getByText("Reason RATE_LIMITED, request request-1.").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 800 });
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
    await badge(page, "Up to date").waitFor();
    const asked: number[] = [];
    // As if the vault had been restored: the server does not know the position of the next call.
    await page.route(listChanges, async (route) => {
      const wanted = route.request().postDataJSON();
      if (wanted.vaultId !== place.vaultId) return route.continue();
      asked.push(wanted.afterSequence ?? 0);
      if (asked.length > 1) return route.continue();
      return route.continue({ postData: JSON.stringify({ ...wanted, afterSequence: 1_000_000, waitSeconds: 0 }) });
    });
    await rewrite(demo.vaults, "demo-card");
    await page.getByText("A vault was restored from a backup, and read again from the start.").waitFor();
    await itemLink(page, "Example card").waitFor();
    expect(asked[1]).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("stops following a vault that the person has lost, and says so", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openVault(page, demo);
    await badge(page, "Up to date").waitFor();
    let asked = 0;
    await page.route(listChanges, (route) => {
      asked += 1;
      return route.continue();
    });
    const setRole = async (role: string) => {
      for (const vaultId of ["demo-user", "demo-vault"]) {
        await demo.vaults.setVaultMember({ ...place, vaultId, principalId: "demo-user", role });
      }
    };
    await setRole("");
    // Ends the call that waits for a change.
    await rewrite(demo.vaults, "demo-card");
    await page.getByText("This vault is not there, or not shared with you any more.").waitFor();
    expect(await itemLink(page, "Example card").count()).toBe(0);
    const before = asked;
    await page.getByRole("link", { name: "See all your items" }).click();
    await page.getByText("You have no vault yet").waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(asked).toBe(before);
    await setRole("owner");
    expect(problems).toEqual([]);
  });

  it("continues from its position after a gap, and misses no change", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await page.setViewportSize({ width: 1024, height: 800 });
    await openVault(page, demo);
    await badge(page, "Up to date").waitFor();
    await itemLink(page, "Example card").click();
    const item = openedItem(page, "Example card");
    await item.getByText(/^Version \d/).waitFor();
    await page.context().setOffline(true);
    await page.route(listChanges, (route) => route.abort());
    const before = await demo.vaults.getItem({ ...place, itemId: "demo-card" });
    const version = before.item?.version ?? 0;
    await rewrite(demo.vaults, "demo-card");
    await rewrite(demo.vaults, "demo-login");
    await page.getByText(/Offline: this is what was loaded at \d\d:\d\d/).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 800 });
    const asked: number[] = [];
    await page.unroute(listChanges);
    page.on("request", (request) => {
      if (!request.url().endsWith("/ListChanges")) return;
      const { vaultId, afterSequence = 0 } = request.postDataJSON();
      if (vaultId === place.vaultId) asked.push(afterSequence);
    });
    await page.context().setOffline(false);
    await item.getByRole("button", { name: "Show it as it is now" }).click();
    await item.getByText(`Version ${version + 1}.`).waitFor();
    await badge(page, "Up to date").waitFor();
    expect(asked[0]).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });

  it("marks an item when the server answers with a version older than one that this browser has opened", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await page.setViewportSize({ width: 1024, height: 800 });
    await openVault(page, demo);
    await itemLink(page, "Example mail").waitFor();
    // What this browser has seen, as if the item had been changed before and the change was then lost.
    await page.evaluate(async () => {
      const settled = (request: IDBRequest) => new Promise((resolve) => request.addEventListener("success", resolve));
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      const opening = indexedDB.open("platform-vault", 1);
      await settled(opening);
      const store = opening.result.transaction("seen-versions", "readwrite").objectStore("seen-versions");
      const reading = store.get("demo-user/demo-vault");
      await settled(reading);
      await settled(store.put(new Map(reading.result).set("demo-login", 9), "demo-user/demo-vault"));
      opening.result.close();
    });
    await page.reload();
    await page.getByText("Older than what you saw").waitFor();
    await itemLink(page, "Example mail").click();
    await openedItem(page, "Example mail").getByText("This is older than what you saw").waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
