import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { bundle } from "../bundle.ts";
import { installed } from "../installed.ts";
import type * as pageProgram from "../program/page.ts";
import type { RuntimeUnderTest } from "../runtime-under-test.ts";

const { CHROMIUM_PATH: executablePath = "/usr/bin/chromium" } = process.env;

/** Chromium does not start when the path of its socket, 45 bytes below its temporary folder, has more than 107. */
const longestTemporaryFolder = 62;

/** A page of another origin than the platform's. */
export const chromiumUnderTest: RuntimeUnderTest = {
  ...installed("Chromium", executablePath, "install it or set CHROMIUM_PATH"),
  userAgent: "HeadlessChrome/",
  takesRedirectError: true,
  async run(world) {
    const chromium = await runChromium();
    try {
      const plot = await world.newPlot();
      const page = await chromium.open(world.origin);
      const told = await page.evaluate((plot) => program.tell(plot), plot);
      return { plot, told, printed: chromium.printed() };
    } finally {
      await chromium.close();
    }
  },
};

/** The script of every page: makes `program` global. */
export function bundlePage(): Promise<string> {
  return bundle('export * from "./page.ts"', { format: "iife", globalName: "program", platform: "browser" });
}

declare const program: typeof pageProgram;

/** A browser with an empty profile, and everything that its pages' consoles have shown. */
export interface RunningChromium {
  /** Opens a page whose script has made `program` global. */
  open(url: string): Promise<Awaited<ReturnType<BrowserContext["newPage"]>>>;
  /** With the previews of objects: what somebody sees who has the developer tools open. */
  readonly printed: () => string;
  /** The URLs that were asked for. */
  readonly urls: readonly string[];
  close(): Promise<void>;
}

/** A name of this machine, whose pages are no secure context, unlike those of 127.0.0.1. */
export const insecureHost = "insecure.test";

/** Starts it without a window, and without what it does on its own on a network. */
export async function runChromium(): Promise<RunningChromium> {
  // It writes a cache and settings there whatever its profile is.
  const home = mkdtempSync(join(tmpdir(), "chromium-"));
  const browser = await chromium.launch({
    executablePath,
    env: { ...process.env, HOME: home, TMPDIR: tmpdir().length > longestTemporaryFolder ? "/tmp" : tmpdir() },
    // In a container there is often nobody but root, as whom the sandbox does not start.
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-sync"],
      `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`,
    ],
  });
  const context = await browser.newContext();
  const shown: unknown[] = [];
  const urls: string[] = [];
  context.on("request", (request) => urls.push(request.url()));
  return {
    urls,
    printed: () => JSON.stringify(shown),
    async open(url) {
      const page = await context.newPage();
      const devTools = await context.newCDPSession(page);
      devTools.on("Runtime.consoleAPICalled", (called) => shown.push(called));
      devTools.on("Runtime.exceptionThrown", (thrown) => shown.push(thrown));
      devTools.on("Log.entryAdded", (logged) => shown.push(logged));
      await devTools.send("Runtime.enable");
      await devTools.send("Log.enable");
      await page.goto(url);
      return page;
    },
    async close() {
      await browser.close();
      rmSync(home, { recursive: true, maxRetries: 10 });
    },
  };
}
