import { type RunningBrowser, startChromium, withoutChromium } from "@platform-rpc/testbed/chromium";
import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { kindsOfPages } from "./kinds-of-pages.ts";
import { serveSite } from "./serve-site.ts";

/** The combinations of colour scheme and width that show each of both once. */
const views = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 320 },
] as const;
let running: RunningBrowser;
let site: Awaited<ReturnType<typeof serveSite>>;

beforeAll(async () => {
  if (withoutChromium) return;
  site = await serveSite();
  running = await startChromium();
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  site?.close();
});

/** What a page does against its security policy, its errors, and its requests to other hosts. */
function problemsOf(page: Page): readonly string[] {
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("request", (request) => {
    if (!request.url().startsWith(site.url)) problems.push(request.url());
  });
  return problems;
}

it.skipIf(withoutChromium).each(kindsOfPages)(
  "axe finds nothing on %s, in both schemes, wide and at 320 px, and the page keeps to its security policy",
  async (path) => {
    const page = await running.browser.newPage();
    const problems = problemsOf(page);
    const found: string[] = [];
    for (const { colorScheme, width } of views) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.goto(site.url + path);
      found.push(...(await violationsOf(page)).map((one) => `${colorScheme}, ${width} px: ${one}`));
    }
    await page.close();
    expect(found).toEqual([]);
    expect(problems).toEqual([]);
  },
);

it.skipIf(withoutChromium)(
  "search finds a page, and links on a page lead to others, under the security policy",
  async () => {
    const page = await running.browser.newPage();
    const problems = problemsOf(page);
    await page.goto(site.url);
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
    await page.close();
    expect(problems).toEqual([]);
  },
);

it.skipIf(withoutChromium)(
  "an unknown page leads to the search, the errors and the start, and axe finds nothing",
  async () => {
    const page = await running.browser.newPage();
    const response = await page.goto(`${site.url}errors/NO_SUCH_REASON`);
    expect(response?.status()).toBe(404);
    // The browser reports the status of the page itself.
    const problems = problemsOf(page);
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
    for (const { colorScheme, width } of views) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect(await violationsOf(page)).toEqual([]);
    }
    await main.getByRole("link", { name: "Errors" }).click();
    await page.getByRole("heading", { level: 1, name: "Why a call fails" }).waitFor();
    await page.goBack();
    await main.getByRole("link", { name: "Start" }).click();
    await page.getByRole("heading", { level: 1, name: "Platform" }).waitFor();
    await page.close();
    expect(problems).toEqual([]);
  },
);

async function violationsOf(page: Page): Promise<readonly string[]> {
  const devTools = await page.context().newCDPSession(page);
  const { frameTree } = await devTools.send("Page.getFrameTree");
  // In an isolated world, to which the security policy of the page does not apply.
  const world = { frameId: frameTree.frame.id, worldName: "axe" };
  const { executionContextId: contextId } = await devTools.send("Page.createIsolatedWorld", world);
  const evaluate = (expression: string) =>
    devTools.send("Runtime.evaluate", { contextId, expression, awaitPromise: true, returnByValue: true });
  await evaluate(axe.source);
  const { result } = await evaluate("axe.run({ resultTypes: ['violations'] })");
  const { violations }: AxeResults = result.value;
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  return [
    ...violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).slice(0, 3)}`,
    ),
    ...(sideways ? ["scrolls sideways"] : []),
  ];
}
