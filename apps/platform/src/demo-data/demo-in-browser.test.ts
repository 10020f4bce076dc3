import { withoutChromium } from "@platform-rpc/accounts/testing/browser";
import { expect, it } from "vitest";
import { itemLink, openConsole, openedItem, startDemo } from "../accounts/testing/console-steps.js";

it.skipIf(withoutChromium)(
  "a person who signs in to the demo for the first time can write an item at once, which is there after a reload",
  async () => {
    await using demo = await startDemo();
    await using person = await demo.openPage();
    const { page, problems } = person;
    await openConsole(page, demo);
    await page.getByRole("button", { name: "New item" }).click();
    await page.getByRole("link", { name: "Login", exact: true }).click();
    await page.getByLabel("Title", { exact: true }).fill("Bakery");
    await page.getByLabel("Username", { exact: true }).fill("ada@bakery.example");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await openedItem(page, "Bakery").getByText("ada@bakery.example").waitFor();
    await page.reload();
    await openedItem(page, "Bakery").getByText("Only people with access to Personal").waitFor();
    await openedItem(page, "Bakery").getByText("ada@bakery.example").waitFor();
    await itemLink(page, "Example mail").waitFor();
    expect(await page.getByText("Not verified").count()).toBe(0);
    expect(problems).toEqual([]);
  },
);
