import { startChromium } from "@platform-rpc/testbed/chromium";
import { installedChromium } from "@platform-rpc/testbed/files";
import type { Order, SuiteName } from "./run-suite.js";
import { bundle, installed, orderOf, type Runtime } from "./runtimes.js";
import type { Results } from "./test-runner.js";

/** The global of the page's script. */
declare const suites: { runSuite(order: Order): Promise<Results> };

/** Chromium, with pages whose origins differ from that of the platform. */
export const chromium: Runtime = {
  ...installed("Chromium", installedChromium.path, "install it or set CHROMIUM_PATH"),
  suites: ["everywhere", "foreignPage"],
  async run(environment) {
    const runSuite = 'export { runSuite } from "./run-suite.js"';
    const { script } = await bundle(runSuite, { format: "iife", globalName: "suites", platform: "browser" });
    await using running = await startChromium({ args: ["--disable-quic"] });
    const context = await running.browser.newContext();
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

    const results = await Promise.all([
      run(environment.testUrl, "everywhere"),
      run(environment.foreignOrigin, "foreignPage"),
    ]);
    return { results: Object.assign({}, ...results), printed: JSON.stringify(shown), urls };
  },
};
