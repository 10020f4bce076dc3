import { globSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningBrowser, startChromium, withoutChromium } from "@platform-rpc/testbed/chromium";
import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type ServedSite, serveSite } from "../src/serve-site.ts";
import { kindsOfPages } from "../src/site-map.ts";

/** The combinations of colour scheme and width that show each of both once. */
const views = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 320 },
] as const;
let running: RunningBrowser;
let site: ServedSite;
/** All tests share it: its process has then compiled axe, which takes longer than a page. */
let page: Page;
/** What the page did against its security policy, its errors, and its requests to other hosts, in the current test. */
const problems: string[] = [];

beforeAll(async () => {
  site = await serveSite();
  if (withoutChromium) return;
  running = await startChromium();
  // Without transitions, colours have their final values at once.
  page = await running.browser.newPage({ reducedMotion: "reduce" });
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("request", (request) => {
    if (!request.url().startsWith(site.url)) problems.push(request.url());
  });
});
beforeEach(async () => {
  // What the page of the test before still does ends here.
  await page?.goto("about:blank");
  await page?.emulateMedia({ colorScheme: "light" });
  await page?.setViewportSize({ width: 1280, height: 800 });
  problems.length = 0;
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

it("the platform serves files of each type", async () => {
  const files = globSync("**/*.*", { cwd: fileURLToPath(new URL("../dist/docs", import.meta.url)) });
  const pages = files.filter((file) => !file.startsWith("404."));
  const oneOfEach = new Map(pages.map((file) => [extname(file), file.replace(/(?:^index)?\.html$/, "")]));
  expect([...oneOfEach.keys()]).toEqual(expect.arrayContaining([".css", ".html", ".js", ".md", ".png", ".webp"]));
  for (const path of oneOfEach.values()) expect((await fetch(site.url + path)).status, path).toBe(200);
});

it.skipIf(withoutChromium).each(kindsOfPages)(
  "axe finds nothing on %s, in both schemes, wide and at 320 px, and the page keeps to its security policy",
  async (path) => {
    const found: string[] = [];
    await page.goto(site.url + path);
    for (const view of views) found.push(...(await violationsIn(view)));
    expect(found).toEqual([]);
    expect(problems).toEqual([]);
  },
);

it.skipIf(withoutChromium)(
  "search finds a page, and links on a page lead to others, under the security policy",
  async () => {
    const headers = (await page.goto(site.url))?.headers();
    expect(headers?.["content-security-policy"]).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("searchbox").fill("VERSION_CONFLICT");
    await page
      .getByRole("option", { name: /VERSION_CONFLICT: the item has changed/ })
      .first()
      .click();
    await page.waitForURL(/\/errors\/VERSION_CONFLICT/);
    await page.getByRole("main").getByRole("link", { name: "All error reasons" }).click();
    await page.getByRole("heading", { level: 1, name: "Why a call fails" }).waitFor();
    await page.getByRole("switch").first().click();
    expect(await page.locator("html").getAttribute("class")).toContain("dark");
    // The site keeps a choice that differs from the scheme of the device. The other tests choose none.
    await page.getByRole("switch").first().click();
    await page.locator("html:not(.dark)").waitFor({ state: "attached" });
    expect(problems).toEqual([]);
  },
);

it.skipIf(withoutChromium)("on a telephone, Tab reaches the links of the sidebar only while it is open", async () => {
  await page.setViewportSize({ width: 320, height: 800 });
  await page.goto(`${site.url}guides/server`);
  const links = page.locator(".VPSidebar a");
  expect(await links.count()).toBeGreaterThan(0);
  const reached = async () => {
    for (let tabs = 0; tabs < 40; tabs += 1) {
      await page.keyboard.press("Tab");
      if (await page.evaluate(() => document.activeElement?.closest(".VPSidebar") !== null)) return true;
    }
    return false;
  };
  expect(await reached()).toBe(false);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.locator(".VPSidebar.open").waitFor();
  expect(await reached()).toBe(true);
});

it.skipIf(withoutChromium)(
  "an unknown page leads to the search, the errors and the start, and axe finds nothing",
  async () => {
    const response = await page.goto(`${site.url}errors/NO_SUCH_REASON`);
    expect(response?.status()).toBe(404);
    // The browser reports the status of the page itself.
    problems.length = 0;
    await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
    const main = page.locator(".not-found");
    // The button works once the scripts of the page have run.
    await expect
      .poll(async () => {
        // The dialog of an earlier click covers the button.
        if (await page.getByRole("searchbox").isVisible()) return true;
        await main.getByRole("button", { name: "Search" }).click();
        return false;
      })
      .toBe(true);
    await page.keyboard.press("Escape");
    for (const view of views) expect(await violationsIn(view)).toEqual([]);
    await main.getByRole("link", { name: "Errors" }).click();
    await page.getByRole("heading", { level: 1, name: "Why a call fails" }).waitFor();
    await page.goBack();
    await main.getByRole("link", { name: "Start" }).click();
    await page.getByRole("heading", { level: 1, name: "Platform" }).waitFor();
    expect(problems).toEqual([]);
  },
);

/** Shows a page in a view, as a person does who turns the device, and returns what axe finds then. */
async function violationsIn({ colorScheme, width }: (typeof views)[number]): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  await page.locator(colorScheme === "dark" ? "html.dark" : "html:not(.dark)").waitFor({ state: "attached" });
  return (await violations()).map((one) => `${colorScheme}, ${width} px: ${one}`);
}

/** Without the style sheets, which axe would fetch for an experimental rule only. */
const axeRun = "axe.run({ resultTypes: ['violations'], preload: { assets: ['media'] } })";

async function violations(): Promise<readonly string[]> {
  const devTools = await page.context().newCDPSession(page);
  const { frameTree } = await devTools.send("Page.getFrameTree");
  // In an isolated world, to which the security policy of the page does not apply.
  const world = { frameId: frameTree.frame.id, worldName: "axe" };
  const { executionContextId: contextId } = await devTools.send("Page.createIsolatedWorld", world);
  const evaluate = (expression: string) =>
    devTools.send("Runtime.evaluate", { contextId, expression, awaitPromise: true, returnByValue: true });
  await evaluate(axe.source);
  const { result } = await evaluate(axeRun);
  const found: AxeResults = result.value;
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  return [
    ...found.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).slice(0, 3)}`,
    ),
    ...(sideways ? ["scrolls sideways"] : []),
  ];
}
