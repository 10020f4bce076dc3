import {
  addPasskeyDevice,
  type PasskeyDevice,
  type PasskeyDeviceOptions,
  type RunningBrowser,
} from "@platform-rpc/testbed/chromium";
import type { Page } from "playwright-core";

export { startChromium, withoutChromium } from "@platform-rpc/testbed/chromium";

/** A page of a person: a browser with an empty profile and one device that has passkeys. */
export interface PersonPage {
  readonly page: Page;
  /** Returns what the page did against its security policy, and its errors, since the last call. */
  readonly takeProblems: () => readonly string[];
  /** Adds a device, and removes the one before. */
  readonly useDevice: PasskeyDevice["replace"];
  readonly setPresent: PasskeyDevice["setPresent"];
  /** Returns the number of passkeys that the device has. */
  readonly passkeyCount: PasskeyDevice["passkeyCount"];
  readonly close: () => Promise<void>;
}

export interface PersonPageOptions extends PasskeyDeviceOptions {
  /** The width of the window, which is 800 px high. Default: 1024 px. */
  readonly width?: number;
}

/** Opens a page with an authenticator that confirms everything by itself. */
export async function openPersonPage(
  { browser }: RunningBrowser,
  { width = 1024, ...device }: PersonPageOptions = {},
): Promise<PersonPage> {
  const context = await browser.newContext({ viewport: { width, height: 800 } });
  // As long as expect.poll waits: only a page that hangs, and none on a busy machine, takes that long.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // The browser reports requests that fail without a network, too, which tests cause on purpose. The second text is of a worker's script.
    const failedRequest = /^Failed to load resource|^An unknown error occurred when fetching the script/.test(
      message.text(),
    );
    if (["error", "warning"].includes(message.type()) && !failedRequest) problems.push(message.text());
  });
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  const { replace: useDevice, setPresent, passkeyCount } = await addPasskeyDevice(page, device);
  const takeProblems = () => problems.splice(0);
  return { page, takeProblems, useDevice, setPresent, passkeyCount, close: () => context.close() };
}
