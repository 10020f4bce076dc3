import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { bundle } from "../bundle.ts";
import { installed } from "../installed.ts";
import type * as pageProgram from "../program/page.ts";
import type { RuntimeUnderTest } from "../runtime-under-test.ts";

const { CHROMIUM_PATH } = process.env;

/** The headless shell, if it is installed: it uses about half of the CPU time of the whole browser. */
const headlessShell = "/usr/bin/chromium-headless-shell";
const executablePath = CHROMIUM_PATH ?? (existsSync(headlessShell) ? headlessShell : "/usr/bin/chromium");

/** Chromium does not start when its socket's path, 45 bytes longer than the temporary folder's, exceeds 107 bytes. */
const longestTemporaryFolder = 62;

/** Chromium, with a page whose origin differs from that of the platform. */
export const chromiumUnderTest: RuntimeUnderTest = {
  ...installed("Chromium", executablePath, "install it or set CHROMIUM_PATH"),
  userAgent: "HeadlessChrome/",
  takesRedirectError: true,
  async run(environment) {
    const chromium = await runChromium();
    try {
      const input = await environment.newInput();
      const page = await chromium.open(environment.origin);
      const result = await page.evaluate((input) => program.runProgram(input), input);
      return { input, result, printed: chromium.printed() };
    } finally {
      await chromium.close();
    }
  },
};

/** Bundles the script of every page, which defines the global `program`. */
export function bundlePage(): Promise<string> {
  return bundle('export * from "./page.ts"', { format: "iife", globalName: "program", platform: "browser" });
}

declare const program: typeof pageProgram;

/** A browser with an empty profile, which records its pages' consoles and requests. */
export interface RunningChromium {
  /** Opens a page with the global `program`. */
  open(url: string): Promise<Awaited<ReturnType<BrowserContext["newPage"]>>>;
  /** Returns the console output as developer tools show it, with previews of objects. */
  readonly printed: () => string;
  /** The requested URLs. */
  readonly urls: readonly string[];
  close(): Promise<void>;
}

/** A host name of this machine. Its pages are not a secure context, unlike those of 127.0.0.1. */
export const insecureHost = "insecure.test";

/** Starts Chromium headless and without background network traffic. */
export async function runChromium(): Promise<RunningChromium> {
  // Chromium writes a cache and settings to HOME, even with a separate profile.
  const home = mkdtempSync(join(tmpdir(), "chromium-"));
  const browser = await chromium.launch({
    executablePath,
    env: { ...process.env, HOME: home, TMPDIR: tmpdir().length > longestTemporaryFolder ? "/tmp" : tmpdir() },
    // The sandbox does not start as root, which is often the only user in a container.
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-sync",
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
