import { expect } from "vitest";
import { beginItem, fill, itemLink, openedItem, save } from "../accounts/testing/console-steps.js";
import { it } from "../accounts/testing/in-browser.js";

it("a person who signs in to the demo for the first time can write an item at once, which is there after a reload", async ({
  allItems: page,
}) => {
  await beginItem(page);
  await fill(page, { Title: "Bakery", Username: "ada@bakery.example" });
  await save(page);
  await openedItem(page, "Bakery").getByText("ada@bakery.example").waitFor();
  await page.reload();
  await openedItem(page, "Bakery").getByText("ada@bakery.example").waitFor();
  await itemLink(page, "Example mail").waitFor();
  expect(await page.getByText("Not verified").count()).toBe(0);
});
