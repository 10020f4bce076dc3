import {
  addPasskeyDevice,
  type PasskeyDevice,
  type PasskeyDeviceOptions,
  type RunningBrowser,
} from "@platform-rpc/testbed/chromium";
import type { Page } from "playwright-core";

export { type RunningBrowser, startChromium, withoutChromium } from "@platform-rpc/testbed/chromium";

/** A page of a person: a browser with an empty profile and one device that has passkeys. */
export interface PersonPage extends AsyncDisposable {
  readonly page: Page;
  /** What the page did against its security policy, and its errors. */
  readonly problems: readonly string[];
  /** Adds a device, and removes the one before. */
  readonly useDevice: PasskeyDevice["replace"];
  readonly setPresent: PasskeyDevice["setPresent"];
  /** Returns the number of passkeys that the device has. */
  readonly passkeyCount: PasskeyDevice["passkeyCount"];
}

/** Opens a page with an authenticator that confirms everything by itself. */
export async function openPersonPage(
  { browser }: RunningBrowser,
  options: { readonly width?: number } & PasskeyDeviceOptions = {},
): Promise<PersonPage> {
  const context = await browser.newContext({ viewport: { width: options.width ?? 1024, height: 800 } });
  // As long as expect.poll waits: only a page that hangs, and none on a busy machine, takes that long.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // The browser reports failed requests, too, which tests cause on purpose.
    const failedRequest = message.text().startsWith("Failed to load resource");
    if (["error", "warning"].includes(message.type()) && !failedRequest) problems.push(message.text());
  });
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  const { replace: useDevice, setPresent, passkeyCount } = await addPasskeyDevice(page, options);
  return { page, problems, useDevice, setPresent, passkeyCount, [Symbol.asyncDispose]: () => context.close() };
}
