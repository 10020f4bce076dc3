import { type Browser, chromium, type Page, type ViewportSize } from "playwright-core";

const { CHROMIUM_PATH: executablePath = "/usr/bin/chromium" } = process.env;

/** The pixels of a picture for each pixel of the page: the pages of the documentation show the pictures at about two thirds of that size. */
const deviceScaleFactor = 1.5;

/** Starts Chromium. The sandbox does not start as root, which is often the only user in a container. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"] });
}

/** Opens a page of a new browser profile, with a device that creates and uses passkeys without asking. */
export async function openPage(browser: Browser, viewport: ViewportSize): Promise<Page> {
  const context = await browser.newContext({ deviceScaleFactor, viewport });
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  await devTools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      ctap2Version: "ctap2_1",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      hasPrf: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return page;
}
