import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type DemoInBrowser,
  openConsole,
  openVault,
  place,
  rewrite,
  startDemo,
  startProgram,
} from "../testing/console-steps.js";

describe.skipIf(withoutChromium)("the console in Chromium", () => {
  let demo: DemoInBrowser;
  beforeAll(async () => {
    demo = await startDemo();
    return () => demo[Symbol.asyncDispose]();
  });

  it("lists the vaults, decrypts their items in the browser, finds them by title, and is accessible", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openConsole(page, demo);
    await page.getByRole("link", { name: "demo-vault" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "demo-vault" }).click();
    await page.getByRole("button", { name: "Example API" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 800 });
    await page.keyboard.press("/");
    await page.keyboard.type("MAIL");
    await expect.poll(() => page.getByRole("table").getByRole("button").allTextContents()).toEqual(["Example mail"]);
    await page.getByRole("button", { name: "Example mail" }).click();
    await page.getByRole("dialog").getByText("correct horse battery staple").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByLabel("Search").fill("nothing of this name");
    await page.getByText("No title or kind contains").waitFor();
    await page.getByLabel("Search").press("Escape");
    await page.locator("h1").click();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("says why an item cannot be opened", async () => {
    const { item } = await demo.vaults.getItem({ ...place, itemId: "demo-note" });
    if (item?.encryptedPayload === undefined) throw new Error("the demo's note is missing");
    const { kind, titleHash, encryptedPayload, wrappedKeys } = item;
    const elsewhere = { ...place, itemId: "moved", baseVersion: 0, kind, titleHash, encryptedPayload };
    await demo.vaults.putItem({ ...elsewhere, wrappedKeys });
    await demo.vaults.putItem({ ...elsewhere, itemId: "not-shared", wrappedKeys: [] });
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openVault(page, demo);
    await page.getByRole("button", { name: "Closed item moved" }).click();
    await page.getByRole("dialog").getByText("The content cannot be decrypted").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Closed item not-shared" }).click();
    await page.getByRole("dialog").getByText("The item was not shared with you").waitFor();
    expect(problems).toEqual([]);
  });

  it("deletes the version that is shown, shows the day of shredding, and restores the item", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openVault(page, demo);
    await page.getByRole("button", { name: "Example card" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Example card was deleted.").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Example card" }).count()).toBe(0);
    const { item } = await demo.vaults.getItem({ ...place, itemId: "demo-card" });
    expect(item).toMatchObject({ deleted: true, version: 2 });
    await page.getByLabel("Show deleted items").check();
    await page.getByRole("row", { name: /Example card .*Deleted; destroyed on \w+ \d+, \d{4}/ }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 800 });
    await page.getByRole("button", { name: "Undo" }).click();
    await expect
      .poll(async () => (await demo.vaults.getItem({ ...place, itemId: "demo-card" })).item)
      .toMatchObject({ deleted: false, version: 3 });
    await page.getByRole("row", { name: "Example card card 3" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("shows a conflict, and deletes the current version only if the person decides so", async () => {
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openVault(page, demo);
    await page.getByRole("button", { name: "Example mail" }).click();
    await rewrite(demo.vaults, "demo-login");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("region", { name: "Yours: Example mail" }).getByText("version 1").waitFor();
    await dialog.getByRole("region", { name: "Current: Example mail" }).getByText("version 2").waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 800 });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.getByText("login, version 1").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Keep theirs" }).click();
    await dialog.getByText("login, version 2").waitFor();
    await rewrite(demo.vaults, "demo-login");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete the current one" }).click();
    await page.getByText("Example mail was deleted.").waitFor();
    const { item } = await demo.vaults.getItem({ ...place, itemId: "demo-login" });
    expect(item).toMatchObject({ deleted: true, version: 4 });
    expect(problems).toEqual([]);
  });

  it("shows changes live, also after a pause and a restart of the server", async () => {
    const program = await startProgram();
    const first = await program.start();
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openVault(page, first);
    const row = (version: number) => page.getByRole("row", { name: `Example card card ${version}` });
    await page.getByText("Live: changes appear at once.").waitFor();
    await rewrite(first.vaults, "demo-card");
    await row(2).waitFor();
    await page.locator("h1").click();
    await page.keyboard.press("p");
    await page.getByText("Paused").waitFor();
    await rewrite(first.vaults, "demo-card");
    await page.getByRole("button", { name: "Resume" }).click();
    await row(3).waitFor();
    await first.stop();
    await page.getByText("Reconnecting").waitFor();
    const { vaults } = await program.start();
    await page.getByText("Live: changes appear at once.").waitFor();
    await rewrite(vaults, "demo-card");
    await row(4).waitFor();
    // The browser reports the connections that the stopped server refused.
    expect(problems.filter((problem) => !problem.includes("ERR_CONNECTION"))).toEqual([]);
  });
});
