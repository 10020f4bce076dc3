import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { signUp } from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type DemoInBrowser,
  itemLink,
  openConsole,
  openedItem,
  openVault,
  place,
  startDemo,
} from "../testing/console-steps.js";

const phone = { width: 390, height: 800 };

describe.skipIf(withoutChromium)("the way around the vault in Chromium", () => {
  let demo: DemoInBrowser;
  beforeAll(async () => {
    demo = await startDemo();
    return () => demo[Symbol.asyncDispose]();
  });

  it("the frame is there before any script, and names no console", async () => {
    await using person = await demo.openPage();
    const { page } = person;
    await openConsole(page, demo);
    await itemLink(page, "Example mail").waitFor();
    expect(await page.locator("body").textContent()).not.toMatch(/console/i);
    await page.route("**/*.js", (route) => route.abort());
    await page.reload();
    await page.getByRole("heading", { name: "Your vault" }).waitFor();
    await page.getByRole("link", { name: "All items" }).waitFor();
    expect(await page.title()).toBe("Your vault · Platform");
    expect(await findViolations(page)).toEqual([]);
    expect(await page.locator("body").textContent()).not.toMatch(/console/i);
  });

  it("on a phone, the first item is near the top, and the Back of the browser leads from an item to the list", async () => {
    await using person = await demo.openPage({ width: phone.width });
    const { page, problems } = person;
    await openConsole(page, demo);
    await itemLink(page, "Alarm code").waitFor();
    const box = await page.locator("[data-item]").first().boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(240);
    await itemLink(page, "Alarm code").click();
    const item = openedItem(page, "Alarm code");
    await item.getByRole("heading", { name: "Alarm code" }).and(page.locator(":focus")).waitFor();
    expect(await itemLink(page, "Alarm code").isVisible()).toBe(false);
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(phone);
    await page.goBack();
    await itemLink(page, "Alarm code").and(page.locator(":focus")).waitFor();
    expect(await item.count()).toBe(0);
    await page.getByRole("button", { name: "Menu" }).click();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize(phone);
    await page.getByRole("link", { name: "demo-vault" }).click();
    await page.getByRole("heading", { name: "demo-vault" }).waitFor();
    expect(await page.getByRole("link", { name: "Activity" }).isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });

  it("needs only the keyboard: the palette goes to items and pages, and j, k and Enter go through the list", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openConsole(page, demo);
    await itemLink(page, "Alarm code").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search everything" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.type("example");
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 800 });
    await page.getByRole("option", { name: "Example API" }).and(page.locator("[aria-selected=true]")).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await openedItem(page, "Example card").waitFor();
    expect(new URL(page.url()).searchParams.get("item")).toBe("demo-vault/demo-card");
    await page.keyboard.press("j");
    await itemLink(page, "Example card").and(page.locator(":focus")).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await openedItem(page, "Example mail").waitFor();
    await page.keyboard.press("k");
    await itemLink(page, "Example card").and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("secur");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/console/security");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("sign out");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/sign-in**");
    expect(problems).toEqual([]);
  });

  it("with Control, an item opens in a tab of its own, and this page stays as it is", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openConsole(page, demo);
    const [tab] = await Promise.all([
      page.context().waitForEvent("page"),
      itemLink(page, "Example card").click({ modifiers: ["Control"] }),
    ]);
    await openedItem(tab, "Example card").waitFor();
    expect(new URL(page.url()).searchParams.has("item")).toBe(false);
    expect(problems).toEqual([]);
  });

  it("the menu of the person locks the browser, and a locked one can sign out", async () => {
    await using person = await demo.openPage();
    const { page } = person;
    await openVault(page, demo);
    await page.getByRole("button", { name: "Demo user" }).click();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 800 });
    await page.getByRole("button", { name: "Lock now" }).click();
    await page.getByRole("heading", { name: "Locked" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  it("a viewer sees items, and nothing that would be refused", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    const member = { ...place, principalId: "demo-user" };
    await demo.vaults.setVaultMember({ ...member, role: "viewer" });
    await openVault(page, demo);
    await itemLink(page, "Example card").click();
    const item = openedItem(page, "Example card");
    await item.getByText("View only").waitFor();
    expect(await page.getByRole("button", { name: /Delete/ }).count()).toBe(0);
    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await demo.vaults.setVaultMember({ ...member, role: "owner" });
    expect(problems).toEqual([]);
  });

  it("asks before it deletes an item that nobody can restore", async () => {
    const vault = { tenantId: place.tenantId, vaultId: "no-retention" };
    await demo.vaults.createVault({ ...vault, retentionDays: 0 });
    await demo.vaults.setVaultMember({ ...vault, principalId: "demo-user", role: "owner" });
    const { item } = await demo.vaults.getItem({ ...place, itemId: "demo-note" });
    if (item?.encryptedPayload === undefined) throw new Error("the demo's note is missing");
    const { kind, titleHash, encryptedPayload, wrappedKeys } = item;
    await demo.vaults.putItem({
      ...vault,
      itemId: "a",
      baseVersion: 0,
      kind,
      titleHash,
      encryptedPayload,
      wrappedKeys,
    });
    const state = async () => (await demo.vaults.getItem({ ...vault, itemId: "a" })).item?.deleted;
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openConsole(page, demo);
    await page.getByRole("link", { name: "no-retention" }).click();
    await page.locator("[data-item='no-retention/a']").getByRole("link").click();
    await page.getByText("Once it is deleted, it cannot be restored.").waitFor();
    await page.keyboard.press("Delete");
    const dialog = page.getByRole("dialog", { name: "Delete 1 item?" });
    await dialog.getByText("Nothing deleted here can be restored.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await state()).toBe(false);
    await page.getByRole("article").getByRole("button", { name: "Delete", exact: true }).click();
    await dialog.getByRole("button", { name: "Delete 1 item" }).click();
    await page.getByText("“Item that cannot be opened” deleted").waitFor();
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    expect(await state()).toBe(true);
    expect(problems).toEqual([]);
  });

  it("a new person sees what to do first, until they do not want to", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await signUp(page, demo.origin);
    await page.goto(`${demo.origin}/console`);
    const card = page.getByRole("region", { name: "Your vault is ready, Ada" });
    await card.waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 800 });
    await card.getByRole("button", { name: "Connect an agent" }).click();
    const dialog = page.getByRole("dialog", { name: "Connect an agent" });
    await dialog.getByText(`platform login --url ${demo.publicUrl}`).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 800 });
    await page.keyboard.press("Escape");
    await card.getByRole("button", { name: "Not now" }).click();
    await page.reload();
    await page.getByText("No items are here yet").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 800 });
    await page.getByRole("link", { name: "Personal" }).waitFor();
    expect(await card.count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
