import { startChromium } from "@platform-rpc/testbed/chromium";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { quantile, summarize } from "../measure/statistics.ts";
import { withDigits, withSpread } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";
import { startDemoApp } from "./demo-app.ts";
import { measureDecryption, measureLoad, measureScrolling, scriptBytes, signIn } from "./in-browser.ts";

const items = 10_000;
const loads = 10;
/** In how many of the loads all titles are decrypted. */
const decryptions = 3;
/** The time of a frame at 60 frames a second, with the rounding of the browser's clock. */
const frameMs = 16.7;

/** Runs `pnpm bench console`: the console with a large vault, in headless Chromium. */
export async function benchConsole(): Promise<BenchResult> {
  const folder = createTemporaryFolder("bench");
  const app = await startDemoApp(folder.path);
  const { browser, [Symbol.asyncDispose]: closeBrowser } = await startChromium({ whole: true });
  try {
    await app.addItems(items);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await signIn(page, app.accountsUrl, app.recoveryCode);
    const interactiveMs: number[] = [];
    const decryptedMs: number[] = [];
    for (let load = 0; load < loads; load += 1) {
      interactiveMs.push(await measureLoad(page, `${app.accountsUrl}/console/vaults/demo-vault`));
      if (loads - load <= decryptions) decryptedMs.push(await measureDecryption(page, items));
    }
    const frames = Float64Array.from(await measureScrolling(page)).sort();
    const slow = frames.filter((ms) => ms > frameMs + 0.1).length / frames.length;
    const interactive = summarize(interactiveMs);
    // Other pages than that of a vault load less.
    await page.goto(`${app.accountsUrl}/console`);
    await page.getByRole("link", { name: "demo-vault" }).waitFor();
    const bytes = await scriptBytes(page);
    return {
      title: "Console",
      method: `The console of the platform app in headless Chromium, with a vault of ${withDigits(items, 0)} items, over ${loads} loads from loopback: the app on the first core, the browser on the others. "Interactive" ends with the frame after the first row of an item and the search field are shown. "Decrypted" ends when every title is shown, in ${decryptions} of the loads: unwrapping the key of each item with RSA takes most of that time, and the page can be used meanwhile. Frame times are those between two callbacks of requestAnimationFrame while a script scrolls by 800 pixels a frame, without a display and a GPU: they show that the work of a frame fits into it, not what a screen shows.`,
      columns: ["what", "measured"],
      rows: [
        ["navigation to interactive", `${withSpread(interactive, 0)} ms`],
        ["navigation to all titles decrypted", `${withSpread(summarize(decryptedMs), 0)} ms`],
        ["compressed JavaScript of the first load", `${withDigits(bytes / 1000, 1)} kB`],
        ["frame while scrolling, median", `${withDigits(quantile(frames, 0.5), 1)} ms`],
        ["frame while scrolling, p95", `${withDigits(quantile(frames, 0.95), 1)} ms`],
        [`frames over ${frameMs} ms`, `${withDigits(slow * 100, 1)} % of ${frames.length}`],
      ],
      measured: [
        ["consoleInteractive", interactive],
        ["consoleFirstLoad", summarize([bytes / 1000])],
      ],
    };
  } finally {
    await closeBrowser();
    await app.stop();
    folder.remove();
  }
}
