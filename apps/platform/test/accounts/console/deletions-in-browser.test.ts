import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { beginItem, fill, itemLink, openedItem, removeCopies, save } from "../testing/console-steps.js";
import { it } from "../testing/in-browser.js";

const title = "Old account";
const openDeleted = (page: Page) => page.getByRole("navigation").getByRole("link", { name: "Deleted" }).click();
const says = (page: Page, words: string) => page.getByRole("article").getByText(words).waitFor();

/** What a server reports instead of the proofs of a deletion. */
const lies: readonly (readonly [string, (proofs: Readonly<Record<string, object>>) => object | undefined])[] = [
  ["no proof", () => undefined],
  ["that nobody has signed it", () => ({})],
  ["the signature of another order", ({ deleted = {} }) => ({ deleted: { ...deleted, signature: "A".repeat(86) } })],
  ["another signer", ({ deleted = {} }) => ({ deleted: { ...deleted, writerId: "program:1" } })],
];

describe("deletions in Chromium", () => {
  it("are the person's only with their signature: of what else became of an item, the page says whose word it is", async ({
    newVault: page,
  }) => {
    await beginItem(page);
    await fill(page, { Title: title });
    await save(page);
    await openedItem(page, title).getByRole("button", { name: "Delete", exact: true }).click();
    await openDeleted(page);
    await itemLink(page, title).click();
    await says(page, "Deleted by you.");
    expect(await findViolations(page)).toEqual([]);

    for (const [, lie] of lies) {
      await page.route("**/platform.accounts.v1.MemberVaultService/GetItem", async (route) => {
        const response = await route.fetch();
        const { deletionProofs, ...answer } = await response.json();
        await route.fulfill({ response, json: { ...answer, deletionProofs: lie(deletionProofs) } });
      });
      await page.reload();
      await says(page, "as the server says: it has no signature of yours.");
      expect(await page.getByText("Deleted by you.").count()).toBe(0);
      await page.unroute("**/platform.accounts.v1.MemberVaultService/GetItem");
    }

    // A server destroys the content, or keeps it back: nobody has ordered that.
    await page.route("**/platform.accounts.v1.MemberVaultService/ListChanges", async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replace(/"ciphertext":"[^"]*"/, '"ciphertext":""');
      await route.fulfill({ response, body: text });
    });
    await removeCopies(page);
    await page.reload();
    await says(page, "it has no order to delete it for ever that you have signed");
    await page.unroute("**/platform.accounts.v1.MemberVaultService/ListChanges");

    await removeCopies(page);
    await page.reload();
    await page.getByRole("article").getByRole("button", { name: "Delete for ever" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete for ever" }).click();
    await says(
      page,
      "To delete it for ever was ordered by you. That its content is destroyed is what the server says.",
    );
    await says(page, "Deleted by you.");
  });
});
