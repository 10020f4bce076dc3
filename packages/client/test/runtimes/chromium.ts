import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium as playwright } from "playwright-core";
import type { Order, SuiteName } from "./run-suite.js";
import { bundle, installed, orderOf, type Runtime } from "./runtimes.js";
import type { Results } from "./test-runner.js";

/** The global of the page's script. */
declare const suites: { runSuite(order: Order): Promise<Results> };

const { CHROMIUM_PATH } = process.env;
/** The headless shell, if it is installed: it uses about half of the CPU time of the whole browser. */
const headlessShell = "/usr/bin/chromium-headless-shell";
const executablePath = CHROMIUM_PATH ?? (existsSync(headlessShell) ? headlessShell : "/usr/bin/chromium");

/** A host name of this machine. Its pages are not a secure context, unlike those of 127.0.0.1. */
const insecureHost = "insecure.test";

/** Chromium does not start when its socket's path, 45 bytes longer than the temporary folder's, exceeds 107 bytes. */
const longestTemporaryFolder = 62;

/** Chromium, with pages whose origins differ from that of the platform. */
export const chromium: Runtime = {
  ...installed("Chromium", executablePath, "install it or set CHROMIUM_PATH"),
  suites: ["everywhere", "allowedPage", "reloadedPage", "foreignPage", "insecurePage"],
  async run(environment) {
    const runSuite = 'export { runSuite } from "./run-suite.js"';
    const { script } = await bundle(runSuite, { format: "iife", globalName: "suites", platform: "browser" });
    const { browser, stop } = await startChromium();
    try {
      const context = await browser.newContext();
      const shown: unknown[] = [];
      const urls: string[] = [];
      context.on("request", (request) => urls.push(request.url()));

      async function run(url: string, ...names: readonly SuiteName[]): Promise<Results> {
        const page = await context.newPage();
        // The console as developer tools show it, with previews of objects.
        const devTools = await context.newCDPSession(page);
        devTools.on("Runtime.consoleAPICalled", (called) => shown.push(called));
        devTools.on("Runtime.exceptionThrown", (thrown) => shown.push(thrown));
        devTools.on("Log.entryAdded", (logged) => shown.push(logged));
        await devTools.send("Runtime.enable");
        await devTools.send("Log.enable");
        const results: Results[] = [];
        for (const name of names) {
          // The page is loaded again for each suite.
          await page.goto(url);
          await page.addScriptTag({ content: script });
          const order = orderOf(name, environment, { userAgent: "HeadlessChrome/", takesRedirectError: true });
          results.push(await page.evaluate((order) => suites.runSuite(order), order));
        }
        return Object.assign({}, ...results);
      }

      const { port } = new URL(environment.testUrl);
      const results = await Promise.all([
        run(environment.testUrl, "everywhere"),
        run(environment.testUrl, "allowedPage", "reloadedPage"),
        run(environment.foreignOrigin, "foreignPage"),
        run(`http://${insecureHost}:${port}`, "insecurePage"),
      ]);
      return { results: Object.assign({}, ...results), printed: JSON.stringify(shown), urls };
    } finally {
      await stop();
    }
  },
};

/** Starts Chromium headless, with an empty profile and without background network traffic. */
export async function startChromium() {
  // Chromium writes a cache and settings to HOME, even with a separate profile.
  const home = mkdtempSync(join(tmpdir(), "chromium-"));
  const browser = await playwright.launch({
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
  return {
    browser,
    async stop() {
      await browser.close();
      rmSync(home, { recursive: true, maxRetries: 10 });
    },
  };
}
