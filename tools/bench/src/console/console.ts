import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openWriter } from "@platform-rpc/accounts/testing/open-writer";
import { adminOf, startApp } from "@platform-rpc/testbed/app";
import { startChromium } from "@platform-rpc/testbed/chromium";
import { createTemporaryFolder } from "@platform-rpc/testbed/files";
import { freePort } from "@platform-rpc/testbed/network";
import type { Page } from "playwright-core";
import { onFirstCore, pinLoad, unpinLoad } from "../load/pinning.ts";
import { quantile, summarize } from "../load/rounds.ts";
import { inBatches } from "../platform/bench-platform.ts";
import { type BenchResult, withDigits, withSpread } from "../report/format.ts";
import {
  createVault,
  type Decryption,
  forgetCopies,
  leaveVault,
  measureDecryption,
  measureLoad,
  measureScrolling,
  measureSlowly,
  scriptBytes,
  signIn,
} from "./in-browser.ts";

const items = 10_000;
/** How many items a vault has that is loaded over a slow network. */
const fewItems = 312;
/** How many items are added at the same time. The app rejects more calls of one principal. */
const addedAtOnce = 50;
const loads = 10;
/** How often all titles of each vault are decrypted. */
const decryptions = 3;
/** The time of a frame at 60 frames a second, with the rounding of the browser's clock. */
const frameMs = 16.7;

/** A vault with many items, in an app of its own: a page opens all vaults of a person. */
interface LargeVault {
  readonly page: Page;
  readonly url: string;
}

/** Runs `pnpm bench console`: the vault with many items, in headless Chromium. */
export async function benchConsole(): Promise<BenchResult> {
  await using started = new AsyncDisposableStack();
  // A person's computer has more than one core, and the workers of the page use them.
  unpinLoad();
  started.defer(pinLoad);
  const { browser, [Symbol.asyncDispose]: closeBrowser } = await startChromium({ whole: true });
  started.defer(closeBrowser);

  async function openVault(recipient: "vault" | "person", count = items): Promise<LargeVault> {
    const folder = createTemporaryFolder("bench");
    started.defer(() => folder.remove());
    const app = await startDemoApp(folder.path);
    started.defer(app.stop);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const { pagesUrl } = app;
    await signIn(page, pagesUrl, app.recoveryCode);
    const vaultId = recipient === "vault" ? await createVault(page) : "demo-vault";
    await app.addItems(page, vaultId, recipient, count);
    const url = `${pagesUrl}/console/vaults/${vaultId}`;
    await leaveVault(page, url);
    return { page, url };
  }

  const few = await openVault("vault", fewItems);
  const [slowCold, slowWarm] = await measureSlowly(few.page, few.url, fewItems);
  await few.page.close();
  const [keyed, keyless] = [await openVault("vault"), await openVault("person")];
  const opened = { keyed: [] as Decryption[], keyless: [] as Decryption[], again: [] as Decryption[] };
  for (let round = 0; round < decryptions; round += 1) {
    for (const [vault, measured] of [
      [keyed, opened.keyed],
      [keyless, opened.keyless],
    ] as const) {
      await forgetCopies(vault.page, vault.url);
      measured.push(await measureDecryption(vault.page, vault.url, items));
      await leaveVault(vault.page, vault.url);
    }
    opened.again.push(await measureDecryption(keyed.page, keyed.url, items));
    await leaveVault(keyed.page, keyed.url);
  }
  const { page } = keyed;
  const interactiveMs: number[] = [];
  for (let load = 0; load < loads; load += 1) interactiveMs.push(await measureLoad(page, keyed.url));
  await measureDecryption(page, keyed.url, items);
  const frames = Float64Array.from(await measureScrolling(page)).sort();
  const slow = frames.filter((ms) => ms > frameMs + 0.1).length / frames.length;
  const interactive = summarize(interactiveMs);
  const bytes = await scriptBytes(page);
  const figure = (of: readonly Decryption[], what: keyof Decryption) =>
    `${withSpread(summarize(of.map((each) => each[what])), 0)} ms`;
  const both = (what: keyof Decryption) => [figure(opened.keyed, what), figure(opened.keyless, what)];
  const received = summarize(opened.again.map((each) => each.bytes / 1000));
  return {
    title: "Console",
    method: `The vault in headless Chromium, with ${withDigits(items, 0)} items, from loopback: the app on the first core, the browser on all of them. "With a key": the items are wrapped for the key of the vault and signed, and the page checks each signature. "Without": the keys of the items are wrapped for the person with RSA. Both are opened in turns, ${decryptions} times; a title counts when its row shows it. Before each, the browser loses its copy of the vault; a reload has it, and the server has no change. The slow network has 50 kB/s and 400 ms for each request, the vault then ${fewItems} items, and the browser no script before the first load. The longest task is that of the page's own thread until all titles are there; the browser reports none of less than 50 ms. "Interactive" ends with the frame after the first row and the search field are shown, over ${loads} reloads. The first load is that of the scripts that the HTML names, and of their static imports. Frame times are those between two callbacks of requestAnimationFrame while a script scrolls by 800 pixels a frame, without a display and a GPU: they show that the work of a frame fits into it, not what a screen shows.`,
    columns: ["what", "with a key", "without"],
    rows: [
      ["navigation to the first title", ...both("firstMs")],
      ["navigation to all titles", ...both("allMs")],
      ["longest task of the page", ...both("longestTaskMs")],
      ["reload to the first title", figure(opened.again, "firstMs"), ""],
      ["reload to all titles", figure(opened.again, "allMs"), ""],
      ["reload, received over the network", `${withSpread(received, 1)} kB`, ""],
      ["slow network: navigation to the first title", `${withDigits(slowCold, 0)} ms`, ""],
      ["slow network: reload to the first title", `${withDigits(slowWarm, 0)} ms`, ""],
      ["reload to interactive", `${withSpread(interactive, 0)} ms`, ""],
      ["compressed JavaScript of the first load", `${withDigits(bytes / 1000, 1)} kB`, ""],
      ["frame while scrolling, median", `${withDigits(quantile(frames, 0.5), 1)} ms`, ""],
      ["frame while scrolling, p95", `${withDigits(quantile(frames, 0.95), 1)} ms`, ""],
      [`frames over ${frameMs} ms`, `${withDigits(slow * 100, 1)} % of ${frames.length}`, ""],
    ],
    measured: [
      ["consoleInteractive", interactive],
      ["consoleFirstLoad", summarize([bytes / 1000])],
      ["consoleAllTitles", summarize(opened.keyed.map(({ allMs }) => allMs))],
      ["consoleReload", summarize(opened.again.map(({ firstMs }) => firstMs))],
      ["consoleReloadTitles", summarize(opened.again.map(({ allMs }) => allMs))],
      ["consoleReloadBytes", received],
      ["consoleSlow", summarize([slowCold])],
      ["consoleSlowReload", summarize([slowWarm])],
    ],
  };
}

interface DemoApp {
  readonly pagesUrl: string;
  readonly recoveryCode: string;
  /**
   * Adds items of the person who is signed in on a page, with the titles "Item 1" and so on. Their keys are wrapped for the vault, and they
   * are signed; or their keys are wrapped for the person with RSA, as in a vault without a key.
   */
  addItems(page: Page, vaultId: string, recipient: "vault" | "person", count: number): Promise<void>;
  stop(): Promise<void>;
}

async function startDemoApp(dataDir: string): Promise<DemoApp> {
  // The API must know the accounts origin before it listens.
  const accountsPort = await freePort();
  const settings = { DATA_DIR: dataDir, DEMO: "on", RATE_LIMITS: "off", LOG_LEVEL: "warn" };
  const app = await startApp({ ...settings, ACCOUNTS_PORT: String(accountsPort) }, { under: onFirstCore });
  const read = (file: string) => readFileSync(join(dataDir, file), "utf8");
  return {
    pagesUrl: app.pagesUrl,
    recoveryCode: read("demo/recovery-code.txt").trim(),
    async addItems(page, vaultId, recipient, count) {
      const call = adminOf(app.internalUrl, join(dataDir, "admin.token"));
      const writer = await openWriter(page, {
        userKeys: new TextEncoder().encode(read("demo/user-key.json")),
        put: async (item) => void (await call("VaultAdminService/PutItem", { ...item })),
      });
      const signer = recipient === "vault" ? "person" : "nobody";
      const fields = { username: "ada@example.com", password: "correct horse battery staple" };
      const write = (index: number) =>
        writer.write({ vaultId, itemId: `bench-${index}`, title: `Item ${index}`, fields }, { signer, recipient });
      await inBatches(count, write, addedAtOnce);
    },
    async stop() {
      await app.stop();
    },
  };
}
