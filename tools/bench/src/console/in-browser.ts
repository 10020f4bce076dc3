import type { Page } from "playwright-core";

export async function signIn(page: Page, pagesUrl: string, recoveryCode: string): Promise<void> {
  await page.goto(`${pagesUrl}/sign-in`);
  await page.getByText("Use a recovery code instead").click();
  await page.getByLabel("Recovery code").fill(recoveryCode);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Not now" }).click();
  await page.waitForURL("**/console**");
}

/** Loads a vault, and returns the milliseconds from the navigation until its first item is shown and the search field is there. */
export async function measureLoad(page: Page, url: string): Promise<number> {
  await page.goto(url);
  return page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    while (document.querySelector("[data-item] a") === null || document.querySelector("input[type=search]") === null) {
      await frame();
    }
    // The frame in which the row is painted has ended when the next one begins.
    await frame();
    return performance.now();
  });
}

/** Leaves the vault for a page of its origin that has no scripts. As with a reload, the browser keeps the process of the page. */
export async function leaveVault(page: Page, url: string): Promise<void> {
  await page.goto(new URL("/healthz", url).href);
}

/** Leaves the vault, and lets the browser forget the copies of vaults that it keeps. */
export async function forgetCopies(page: Page, url: string): Promise<void> {
  await leaveVault(page, url);
  await page.evaluate(() => {
    const removing = indexedDB.deleteDatabase("platform-vault-copies");
    return new Promise((resolve) => removing.addEventListener("success", resolve));
  });
}

/** Waits until the browser keeps so many changes of the vault that is shown: it stores them after it has shown them. */
async function waitForCopy(page: Page, changes: number): Promise<void> {
  await page.evaluate(async (wanted) => {
    const resultOf = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((resolve) => request.addEventListener("success", () => resolve(request.result)));
    const database = await resultOf(indexedDB.open("platform-vault-copies"));
    const key = ["vault", location.pathname.split("/").at(-1) ?? ""];
    const read = () => resultOf(database.transaction("records").objectStore("records").get(key));
    while (((await read())?.sequence ?? 0) < wanted) await new Promise((resolve) => requestAnimationFrame(resolve));
    database.close();
  }, changes);
}

/** Creates a vault with a key. Resolves with its id. */
export async function createVault(page: Page): Promise<string> {
  await page.getByRole("button", { name: "New vault" }).click();
  await page.getByLabel("Name of the vault").fill("Bench");
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL("**/console/vaults/*");
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

/** The milliseconds since the navigation until titles are shown, and how long the page was busy at once. */
export interface Decryption {
  readonly firstMs: number;
  readonly allMs: number;
  /** The longest task of the page's own thread. 50 or less counts as 50: the browser reports no shorter ones. */
  readonly longestTaskMs: number;
  /** What the browser received, with headers. */
  readonly bytes: number;
}

/** Loads a vault, and waits until all titles are decrypted, and the browser keeps its copy. */
export async function measureDecryption(page: Page, url: string, items: number): Promise<Decryption> {
  const network = await page.context().newCDPSession(page);
  let bytes = 0;
  network.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await network.send("Network.enable");
  await page.goto(url);
  const times = await page.evaluate(async (wanted) => {
    let longestTaskMs = 50;
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longestTaskMs = Math.max(longestTaskMs, duration);
    });
    observer.observe({ type: "longtask", buffered: true });
    const until = async (is: () => boolean) => {
      while (!is()) await new Promise((resolve) => requestAnimationFrame(resolve));
      return performance.now();
    };
    const firstMs = await until(() => {
      const title = document.querySelector("[data-item] a")?.textContent ?? "Decrypting…";
      return title !== "Decrypting…";
    });
    const count = () => Number(document.querySelector("[data-item]")?.getAttribute("aria-setsize"));
    const allMs = await until(() => count() >= wanted && document.querySelector("[data-decrypting]") === null);
    return { firstMs, allMs, longestTaskMs };
  }, items);
  await network.detach();
  await waitForCopy(page, items);
  return { ...times, bytes };
}

/** Returns the milliseconds from the navigation to the first title over a slow network: without anything in the browser, and again. */
export async function measureSlowly(page: Page, url: string, items: number): Promise<readonly [number, number]> {
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  await forgetCopies(page, url);
  await network.send("Network.clearBrowserCache");
  const conditions = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
  await network.send("Network.emulateNetworkConditions", conditions);
  const { firstMs: cold } = await measureDecryption(page, url, items);
  await leaveVault(page, url);
  const { firstMs: warm } = await measureDecryption(page, url, items);
  return [cold, warm];
}

/** A static import of a script, as bundlers write it. */
const staticImport = /\b(?:import|export)\s*(?:[\w$*{},\s]+?from\s*)?["'](\.{0,2}\/[^"']+)["']/g;

/**
 * Returns the compressed bytes of the scripts that a page loads first: those that its HTML names, and their static imports. What it
 * imports later, such as while it is idle, does not count.
 */
export async function scriptBytes(page: Page): Promise<number> {
  const html = await page.request.get(page.url());
  const named = (await html.text()).matchAll(/<(?:script|link rel="modulepreload")[^>]* (?:src|href)="([^"]+)"/g);
  const scripts = new Set(Array.from(named, ([, path = ""]) => new URL(path, page.url()).href));
  let bytes = 0;
  // The loop also reaches the scripts that are added meanwhile.
  for (const url of scripts) {
    const script = await page.request.get(url);
    bytes += Number(script.headers()["content-length"]);
    for (const [, path = ""] of (await script.text()).matchAll(staticImport)) scripts.add(new URL(path, url).href);
  }
  return bytes;
}

/** Scrolls through the list from its first to its last row, and returns the time of each frame in milliseconds. */
export function measureScrolling(page: Page): Promise<number[]> {
  return page.evaluate(async () => {
    const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
    const list = document.querySelector(".items");
    if (list === null) throw new Error("The page has no list of items.");
    const times: number[] = [];
    const pixels = 800;
    // Reading it in the loop would lay the page out once more for each frame.
    const end = list.scrollHeight;
    let last = await frame();
    for (let top = 0; top < end; top += pixels) {
      list.scrollTop = top;
      const now = await frame();
      times.push(now - last);
      last = now;
    }
    return times;
  });
}
