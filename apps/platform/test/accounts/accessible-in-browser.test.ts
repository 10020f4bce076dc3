import { outcomePage } from "@platform-rpc/accounts/device/device-pages";
import { pageResponse } from "@platform-rpc/accounts/pages/layout";
import {
  enterUserCode,
  fillRecoveryCode,
  signOut,
  signUp,
  storeRecoveryCode,
  waitForTitle,
} from "@platform-rpc/accounts/testing/browser-steps";
import { findViolations } from "@platform-rpc/accounts/testing/find-violations";
import { serveSite } from "@platform-rpc/accounts/testing/serve-site";
import { StorageError } from "@platform-rpc/server";
import { Hono } from "hono";
import { expect } from "vitest";
import { it } from "./testing/in-browser.js";

const minute = 60_000;

it("axe finds nothing on any page, in any state, in both schemes, and at 320 px", async ({ device, page }) => {
  const { origin, advance, startDevice, exchange, startOauth, forbidDeletions } = device;
  const found: string[] = [];
  const check = async () => found.push(...(await findViolations(page)));
  const decide = async (button: string, title: string, unchecked: readonly string[] = []) => {
    const started = await startDevice();
    await enterUserCode(page, origin, started.userCode);
    for (const name of unchecked) await page.getByRole("checkbox", { name }).uncheck();
    await page.getByRole("button", { name: button }).click();
    await waitForTitle(page, title);
    return started;
  };

  for (const path of ["/device", "/device?user_code=WDJBMJHT", "/sign-in", "/sign-up", "/no-such-page"]) {
    await page.goto(origin + path);
    await check();
  }
  await page.goto(`${origin}/sign-in`);
  await fillRecoveryCode(page, "0000");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("recovery code").waitFor();
  await check();

  await page.goto(`${origin}/sign-up`);
  await page.getByLabel("Your name").fill("Ada");
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await page.getByRole("heading", { name: "Your recovery code" }).waitFor();
  await check();
  await page.getByLabel("Last group of the code").fill("????");
  await page.keyboard.press("Enter");
  await page.getByText("This is not the last group.").waitFor();
  await check();
  await page.getByRole("button", { name: "Not now" }).click();
  await page.getByRole("dialog", { name: "Leave without a recovery code?" }).waitFor();
  await check();
  await page.getByRole("button", { name: "Leave", exact: true }).click();
  await page.getByText("You have not stored a recovery code.").waitFor();
  await check();
  await page.goto(`${origin}/console/security`);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("dialog", { name: "Add a passkey" }).waitFor();
  await check();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Remove the passkey" }).click();
  await page.getByText("Nothing else unlocks your items.").waitFor();
  await check();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Create a recovery code" }).click();
  await page.getByRole("dialog", { name: "Create a recovery code" }).waitFor();
  await check();
  await page.keyboard.press("Escape");

  await enterUserCode(page, origin, "ZZZZ-ZZZZ");
  await page.getByRole("alert").waitFor();
  await check();
  const { userCode } = await startDevice();
  await enterUserCode(page, origin, userCode);
  await waitForTitle(page, "Agent wants to use your vault");
  await check();
  for (const scope of await page.getByRole("checkbox").all()) await scope.uncheck();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("alert").waitFor();
  await check();
  await decide("Deny", "Denied");
  await check();
  const approved = await decide("Approve", "Approved");
  await check();
  await exchange(approved);
  await enterUserCode(page, origin, approved.userCode);
  await waitForTitle(page, "The code was used already");
  await check();

  const oauth = await startOauth();
  await enterUserCode(page, origin, oauth.userCode);
  await page.getByRole("button", { name: "Approve" }).click();
  await waitForTitle(page, "Approved");
  expect((await oauth.collect()).access_token).not.toBe("");
  const burned = await decide("Approve", "Approved", ["Collect answers to its requests"]);
  await forbidDeletions();
  expect(await exchange(burned)).toBe("access_denied");
  await enterUserCode(page, origin, burned.userCode);
  await waitForTitle(page, "Access was not possible");
  await check();

  advance(10 * minute);
  await enterUserCode(page, origin, userCode);
  await waitForTitle(page, "The code has expired");
  await check();
  await enterUserCode(page, origin, (await startDevice()).userCode);
  await page.getByRole("button", { name: "Approve" }).click();
  await waitForTitle(page, "Sign in again");
  await check();
  await page.goto(`${origin}/console`);
  await signOut(page);
  await page.goto(`${origin}/sign-up`);
  await page.getByLabel("Your name").fill("Ada");
  await page.getByRole("button", { name: "Continue without a passkey" }).click();
  await page.getByRole("heading", { name: "Your recovery code" }).waitFor();
  await check();
  await storeRecoveryCode(page);
  await check();
  expect(found).toEqual([]);
});

it("axe finds nothing on pages that report why a person cannot continue", async ({ page }) => {
  const { origin, breakStorage } = await serveSite();
  const found: string[] = [];
  const check = async (title: string) => {
    await waitForTitle(page, title);
    found.push(...(await findViolations(page)));
  };

  const withoutSignUp = await serveSite({ signUp: false });
  await page.goto(`${withoutSignUp.origin}/sign-up`);
  await check("Create an account");
  await page.goto(`${withoutSignUp.origin}/sign-in`);
  await page.getByText("Accounts are created by your administrator.").waitFor();
  await check("Sign in");

  // Shown only to a person whose account is disabled while the request is handled: after that, the session has ended.
  const disabled = new Hono().get("*", (context) => pageResponse(context, outcomePage("account disabled"), 403));
  const body = await (await disabled.request("/")).text();
  await page.route("**/device", (route) => route.fulfill({ status: 403, contentType: "text/html", body }));
  await page.goto(`${origin}/device`);
  await check("Your account is disabled");

  await signUp(page, origin);
  breakStorage(new StorageError("unavailable"));
  await page.goto(`${origin}/console`);
  await check("Not available");
  breakStorage(new Error("unexpected"));
  await page.goto(`${origin}/console`);
  await check("The server failed");
  expect(found).toEqual([]);
});

it("axe finds nothing on any page without JavaScript", async ({ page }) => {
  const { origin } = await serveSite();
  const found: string[] = [];
  const check = async (path: string, text: string) => {
    await page.goto(origin + path);
    await page.getByText(text).waitFor();
    found.push(...(await findViolations(page)));
  };
  const needsScript = "This page needs JavaScript";
  await signUp(page, origin);
  // As a browser without JavaScript shows the page. axe does not run in a browser that cannot run scripts.
  await page.route("**/assets/*.js", (route) => route.abort());
  await page.route(/\/(?:console|device|sign-in|sign-up)$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll(/<\/?noscript>/g, "") });
  });
  await check("/console", "Your vault needs JavaScript");
  await check("/device", "Software that wants to act for you");
  await page.goto("about:blank");
  await page.context().clearCookies();
  await check("/sign-in", needsScript);
  await check("/sign-up", needsScript);
  expect(found).toEqual([]);
});
