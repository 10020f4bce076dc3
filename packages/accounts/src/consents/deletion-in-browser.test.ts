import { expect, it } from "vitest";
import { openPersonPage, startChromium, withoutChromium } from "../testing/browser.js";
import { signUp, waitForTitle } from "../testing/browser-steps.js";
import { findViolations } from "../testing/find-violations.js";
import { serveSite } from "../testing/serve-site.js";
import { putDeletable } from "./testing/deletion-site.js";

it.skipIf(withoutChromium)("a person allows a deletion in Chromium, and axe finds nothing", async () => {
  const site = await serveSite();
  const { origin } = site;
  await using browser = await startChromium();
  await using person = await openPersonPage(browser);
  const { page, problems } = person;
  await signUp(page, origin);
  const [, accountId = ""] = site.events.map(({ subject }) => /^account:(.*)$/.exec(subject)).find(Boolean) ?? [];
  const { pathOf, has } = await putDeletable(site, origin, accountId);

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
  expect(found).toEqual([]);
  expect(problems).toEqual([]);
});
