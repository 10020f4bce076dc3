import "./local-names.ts";
import { tmpdir } from "node:os";
import { type Browser, chromium, type Page } from "playwright-core";
import { createTemporaryFolder, findInstalled, installedChromium } from "./files.ts";

/** The whole browser, if it is installed: what people see and measure. */
const wholeBrowser = findInstalled("CHROMIUM_PATH", "chromium", "chromium-headless-shell");

/** Whether to skip tests in Chromium because it is not installed. Never in CI, where they then fail. */
export const withoutChromium = installedChromium.skip;

/** A running Chromium. Disposing of it removes its files. */
export interface RunningBrowser extends AsyncDisposable {
  readonly browser: Browser;
}

/** The path of its socket, 45 bytes longer than that of its temporary folder, may have 107 bytes. */
const longestTemporaryFolder = 62;

export interface ChromiumOptions {
  /** More arguments. Default: none. */
  readonly args?: readonly string[];
  /** Whether to prefer the whole browser to the headless shell. Default: false. */
  readonly whole?: boolean;
}

/** Starts Chromium headless, with an empty profile. The sandbox does not start as root, which is often the only user in a container. */
export async function startChromium({ args = [], whole = false }: ChromiumOptions = {}): Promise<RunningBrowser> {
  // Chromium writes a cache and settings to HOME, even with an empty profile.
  const home = createTemporaryFolder("chromium");
  const TMPDIR = tmpdir().length > longestTemporaryFolder ? "/tmp" : tmpdir();
  const browser = await chromium.launch({
    executablePath: (whole ? wholeBrowser : installedChromium).path,
    env: { ...process.env, HOME: home.path, TMPDIR },
    args: ["--no-sandbox", "--disable-gpu", "--disable-sync", ...args],
    // Chromium ends with this process anyway: its pipe closes.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  return {
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close();
      home.remove();
    },
  };
}

/** How a device supports the PRF extension: like a phone, like most security keys, which compute it only at sign-in, or not. */
const prfSupport = {
  "at creation": { hasPrf: true },
  "at sign-in": { hasHmacSecret: true, transport: "usb" },
  never: {},
} as const;

/** A device that creates and uses passkeys without asking. */
export interface PasskeyDevice {
  /** Lets the device wait for the person, or not. */
  setPresent(present: boolean): Promise<void>;
  replace(prf: keyof typeof prfSupport): Promise<void>;
  passkeyCount(): Promise<number>;
}

export interface PasskeyDeviceOptions {
  /**
   * Whether the browser suggests its passkeys in fields. The device then signs in as soon as a page lets the browser suggest them, as if
   * the person had chosen one. Default: false.
   */
  readonly suggested?: boolean;
}

/** Adds a device to a page, which computes PRFs at the creation of passkeys. */
export async function addPasskeyDevice(
  page: Page,
  { suggested = false }: PasskeyDeviceOptions = {},
): Promise<PasskeyDevice> {
  if (!suggested) {
    await page.addInitScript(
      "if ('PublicKeyCredential' in self) PublicKeyCredential.isConditionalMediationAvailable = async () => false",
    );
  }
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  const add = async (prf: keyof typeof prfSupport) => {
    const { authenticatorId } = await devTools.send("WebAuthn.addVirtualAuthenticator", {
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
    return authenticatorId;
  };
  let authenticatorId = await add("at creation");
  return {
    async setPresent(enabled) {
      await devTools.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
    },
    async replace(prf) {
      await devTools.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
      authenticatorId = await add(prf);
    },
    async passkeyCount() {
      return (await devTools.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length;
    },
  };
}
