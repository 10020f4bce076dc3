import { expect } from "vitest";
import { signUp, waitForTitle } from "../../src/testing/browser-steps.js";
import { findViolations } from "../../src/testing/find-violations.js";
import { it } from "../../src/testing/in-browser.js";
import { putDeletable } from "./testing/deletion-site.js";

it("a person allows a deletion in Chromium, and axe finds nothing", async ({ page, site }) => {
  const { origin } = site;
  await signUp(page, origin);
  const [, accountId = ""] = site.events.map(({ subject }) => /^account:(.*)$/.exec(subject)).find(Boolean) ?? [];
  const { pathOf, has, useAt } = await putDeletable(site, origin, accountId);

  await page.goto(origin + pathOf());
  await waitForTitle(page, "Delete this item?");
  const found = await findViolations(page);
  await page.getByRole("button", { name: "Keep it" }).click();
  await waitForTitle(page, "The item stays");
  expect(await has()).toBe(false);

  await page.goto(origin + pathOf());
  await page.getByRole("button", { name: "Allow the deletion" }).click();
  await waitForTitle(page, "You have allowed the deletion");
  found.push(...(await findViolations(page)));
  expect(await has()).toBe(true);

  await page.goto(origin + useAt("api.example").path);
  await waitForTitle(page, "Use the secret of this item?");
  found.push(...(await findViolations(page)));
  expect(found).toEqual([]);
});
