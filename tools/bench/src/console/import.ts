import { startChromium } from "@platform-rpc/testbed/chromium";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import type { Page } from "playwright-core";
import { pinLoad, unpinLoad } from "../load/pinning.ts";
import { withDigits } from "../report/format.ts";
import type { BenchResult } from "../report/result.ts";
import { startDemoApp } from "./demo-app.ts";
import { signIn } from "./in-browser.ts";

const items = 10_000;
/** Where the page notes its longest task, in milliseconds. */
const longestTask = "data-longest-task";

interface Imported {
  /** From the choice of the file until its preview is shown. */
  readonly readSeconds: number;
  /** From the press on Import until the last item is stored. */
  readonly storeSeconds: number;
  readonly undoSeconds: number;
  readonly longestTaskMs: number;
}

/** Runs `pnpm bench import`: a file with many items, imported in headless Chromium. */
export async function benchImport(): Promise<BenchResult> {
  await using started = new AsyncDisposableStack();
  // A person's computer has more than one core, and the workers of the page use them.
  unpinLoad();
  started.defer(pinLoad);
  const { browser, [Symbol.asyncDispose]: closeBrowser } = await startChromium({ whole: true });
  started.defer(closeBrowser);
  async function measure(rateLimits: "on" | "off"): Promise<Imported> {
    const folder = createTemporaryFolder("bench");
    started.defer(() => folder.remove());
    const app = await startDemoApp(folder.path, rateLimits);
    started.defer(app.stop);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await signIn(page, app.accountsUrl, app.recoveryCode);
    await page.goto(`${app.accountsUrl}/console/import`);
    const measured = await importFile(page);
    await page.close();
    return measured;
  }
  const [unlimited, limited] = [await measure("off"), await measure("on")];
  const row = (what: string, value: (measured: Imported) => string) => [what, value(unlimited), value(limited)];
  const seconds = (value: number) => `${withDigits(value, 1)} s`;
  const rate = (value: number) => `${withDigits(items / value, 0)} items/s`;
  return {
    title: "Import",
    method: `A CSV file with ${withDigits(items, 0)} logins, imported once in headless Chromium into a vault with a key, from loopback: the app on the first core, the browser on all of them. Reading begins when the file is chosen, and ends when the page shows what it contains. Storing contains encrypting and signing each item. "With rate limits": those of a person by default, 6 000 items at once and then 6 000 a minute, so that 10 000 items take at least 40 s. The longest task is that of the page's own thread; the browser reports none of less than 50 ms.`,
    columns: ["what", "without rate limits", "with rate limits"],
    rows: [
      row("reading the file", ({ readSeconds }) => seconds(readSeconds)),
      row("storing all items", ({ storeSeconds }) => seconds(storeSeconds)),
      row("items stored a second", ({ storeSeconds }) => rate(storeSeconds)),
      row("undoing the import", ({ undoSeconds }) => seconds(undoSeconds)),
      row("longest task of the page", ({ longestTaskMs }) => `${withDigits(longestTaskMs, 0)} ms`),
    ],
    measured: [],
  };
}

async function importFile(page: Page): Promise<Imported> {
  const rows = Array.from(
    { length: items },
    (_, index) => `Item ${index},https://example.com/${index},ada,secret-${index},`,
  );
  const buffer = Buffer.from(`name,url,username,password,note\n${rows.join("\n")}\n`);
  page.setDefaultTimeout(300_000);
  await page.evaluate((attribute) => {
    const root = document.documentElement;
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        root.setAttribute(attribute, String(Math.max(Number(root.getAttribute(attribute)), duration)));
      }
    });
    root.setAttribute(attribute, "50");
    observer.observe({ type: "longtask" });
  }, longestTask);
  const start = page.getByRole("button", { name: `Import ${items} items` });
  const readSeconds = await timed(async () => {
    await page.getByLabel("File", { exact: true }).setInputFiles({ name: "chrome.csv", mimeType: "text/csv", buffer });
    await start.waitFor();
  });
  const storeSeconds = await timed(async () => {
    await start.click();
    await page.getByRole("heading", { name: `Imported ${items} items` }).waitFor();
  });
  const undoSeconds = await timed(async () => {
    await page.getByRole("button", { name: "Undo import" }).click();
    await page.getByRole("heading", { name: `Deleted ${items} items again` }).waitFor();
  });
  const longestTaskMs = Number(await page.locator("html").getAttribute(longestTask));
  return { readSeconds, storeSeconds, undoSeconds, longestTaskMs };
}

/** Returns how many seconds something takes. */
async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
