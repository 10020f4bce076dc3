import type { Page } from "playwright-core";
import { expect } from "vitest";
import * as z from "zod";
import { ownCall } from "../src/http/own-call.js";
import {
  enterUserCode,
  fillRecoveryCode,
  signInWithPasskey,
  signUp,
  waitForTitle,
} from "../src/testing/browser-steps.js";
import { it } from "../src/testing/in-browser.js";
import { clientId, deleteScope, parameters } from "./authorize/testing/code-site.js";

const title = "Agent wants to use your vault";
const started = z.object({ user_code: z.string() });

/** Opens the review of a device, or of an authorization request. */
async function openReview(page: Page, origin: string, kind: "device" | "authorize"): Promise<void> {
  if (kind === "device") {
    const body = new URLSearchParams({ client_id: clientId });
    const response = await fetch(`${origin}/oauth/device_authorization`, { method: "POST", body });
    await enterUserCode(page, origin, started.parse(await response.json()).user_code);
  } else await page.goto(`${origin}/oauth/authorize?${new URLSearchParams({ ...parameters, scope: deleteScope })}`);
  await waitForTitle(page, title);
}

it.for([
  ["device", "a passkey"],
  ["device", "the recovery code"],
  ["authorize", "a passkey"],
] as const)(
  "the review of a %s request in Chromium has what the person has chosen after their session has ended, and after another sign-in with %s",
  async ([kind, proof], { page, site }) => {
    const client = { tenantId: "acme", oauthClientId: clientId, name: "Agent", enabled: true };
    const allowedOperations = ["platform.v1.VaultService/DeleteItem"];
    const redirectUris = ["http://127.0.0.1/callback"];
    await site.own.setOauthClient({ ...client, allowedOperations, redirectUris }, ownCall("test", site.secrets));
    const recoveryCode = await signUp(page, site.origin);
    await openReview(page, site.origin, kind);
    // More than the page proposes.
    await page.getByLabel("Deletions at most").fill("40");
    await page.locator("[name=vault]").uncheck();
    const shown = () =>
      Promise.all([
        page.locator(".shown-code").allTextContents(),
        page.getByLabel("Deletions at most").inputValue(),
        page.locator("[name=vault]").isChecked(),
      ]);
    const [code] = await shown();
    await page.context().clearCookies();
    await signInWithPasskey(page, title);
    expect(await shown()).toEqual([code, "40", false]);
    await page.locator("[name=vault]").check();
    site.pass(5 * 60_000);
    await page.getByRole("button", { name: "Approve" }).click();
    await waitForTitle(page, "Sign in again");
    expect(page.url()).not.toContain("deletions");
    if (proof === "the recovery code") {
      await fillRecoveryCode(page, recoveryCode);
      await page.getByRole("button", { name: "Use the recovery code" }).click();
    } else await page.getByRole("button", { name: "Continue with a passkey" }).click();
    await waitForTitle(page, title);
    expect(await shown()).toEqual([code, "40", true]);
  },
);
