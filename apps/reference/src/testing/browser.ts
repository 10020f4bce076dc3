import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";

const { CHROMIUM_PATH, CI } = process.env;

/** The headless shell, if it is installed: it uses about half of the CPU time of the whole browser. */
const headlessShell = "/usr/bin/chromium-headless-shell";
const executablePath = CHROMIUM_PATH ?? (existsSync(headlessShell) ? headlessShell : "/usr/bin/chromium");

/** Whether to skip tests in Chromium because it is not installed. Never in CI, where they then fail. */
export const withoutChromium = CI === undefined && !existsSync(executablePath);

/** A running Chromium. Disposing of it removes its files. */
export interface RunningBrowser extends AsyncDisposable {
  readonly browser: Browser;
}

/** Starts Chromium. The sandbox does not start as root, which is often the only user in a container. */
export async function startChromium(): Promise<RunningBrowser> {
  // Chromium writes settings to HOME, even with an empty profile.
  const home = mkdtempSync(join(tmpdir(), "chromium-"));
  // The path of its socket, which is longer than that of the temporary folder, may have 107 bytes.
  const TMPDIR = tmpdir().length > 62 ? "/tmp" : tmpdir();
  const browser = await chromium.launch({
    executablePath,
    env: { ...process.env, HOME: home, TMPDIR },
    args: ["--no-sandbox", "--disable-gpu", "--disable-sync"],
  });
  return {
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close();
      rmSync(home, { recursive: true, maxRetries: 10 });
    },
  };
}

/** How a device supports the PRF extension: like a phone, like most security keys, which compute it only at sign-in, or not. */
const prfSupport = {
  "at creation": { hasPrf: true },
  "at sign-in": { hasHmacSecret: true, transport: "usb" },
  never: {},
} as const;

/** A page of a person: a browser with an empty profile and one device that has passkeys. */
export interface PersonPage extends AsyncDisposable {
  readonly page: Page;
  /** What the page did against its security policy, and its errors. */
  readonly problems: readonly string[];
  /** Adds a device, and removes the one before. */
  useDevice(prf: keyof typeof prfSupport): Promise<void>;
  /** Returns the number of passkeys that the device has. */
  passkeyCount(): Promise<number>;
}

/** Opens a page with an authenticator that confirms everything by itself. */
export async function openPersonPage(
  { browser }: RunningBrowser,
  options: { readonly width?: number } = {},
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
  const devTools: CDPSession = await context.newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  let authenticatorId: string | undefined;
  const useDevice: PersonPage["useDevice"] = async (prf) => {
    if (authenticatorId !== undefined) await devTools.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
    const added = await devTools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        ctap2Version: "ctap2_1",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
        ...prfSupport[prf],
      },
    });
    authenticatorId = added.authenticatorId;
  };
  const passkeyCount = async () => {
    if (authenticatorId === undefined) return 0;
    return (await devTools.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length;
  };
  await useDevice("at creation");
  return { page, problems, useDevice, passkeyCount, [Symbol.asyncDispose]: () => context.close() };
}
