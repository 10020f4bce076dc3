import { installedChromium, startChromium } from "@platform-rpc/testbed/chromium";
import type { Order, SuiteName } from "./run-suite.js";
import { bundle, installed, orderOf, type Runtime } from "./runtimes.js";
import type { Results } from "./test-runner.js";

/** The global of the page's script. */
declare const suites: { runSuite(order: Order): Promise<Results> };

/** A host name of this machine. Its pages are not a secure context, unlike those of 127.0.0.1. */
const insecureHost = "insecure.test";

/** Chromium, with pages whose origins differ from that of the platform. */
export const chromium: Runtime = {
  ...installed("Chromium", installedChromium.path, "install it or set CHROMIUM_PATH"),
  suites: ["everywhere", "allowedPage", "reloadedPage", "foreignPage", "insecurePage"],
  async run(environment) {
    const runSuite = 'export { runSuite } from "./run-suite.js"';
    const { script } = await bundle(runSuite, { format: "iife", globalName: "suites", platform: "browser" });
    const args = ["--disable-quic", `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`];
    await using running = await startChromium({ args });
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

    const { port } = new URL(environment.testUrl);
    const results = await Promise.all([
      run(environment.testUrl, "everywhere"),
      run(environment.testUrl, "allowedPage", "reloadedPage"),
      run(environment.foreignOrigin, "foreignPage"),
      run(`http://${insecureHost}:${port}`, "insecurePage"),
    ]);
    return { results: Object.assign({}, ...results), printed: JSON.stringify(shown), urls };
  },
};
