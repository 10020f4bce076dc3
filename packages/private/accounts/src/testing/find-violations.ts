import axe, { type AxeResults } from "axe-core";
import type { Locator, Page } from "playwright-core";

/** The combinations of colour scheme and width that show each of both once. */
const views = [
  { colorScheme: "light", width: 1024 },
  { colorScheme: "dark", width: 320 },
] as const;

/**
 * Returns what axe finds on a page, in both colour schemes, wide and at 320 px, whether the page then scrolls sideways, and
 * whether it shows what is hidden. axe runs in an isolated world, to which the security policy of the page does not apply. It describes
 * violations only, and does not fetch the style sheets, which only an experimental rule reads: both takes less time. The window then has
 * its size again.
 */
export async function findViolations(page: Page): Promise<string[]> {
  const found: string[] = [];
  const size = page.viewportSize();
  // Never detached: Chromium would remove the virtual authenticator of the page.
  const devTools = await page.context().newCDPSession(page);
  const { frameTree } = await devTools.send("Page.getFrameTree");
  const world = { frameId: frameTree.frame.id, worldName: "axe" };
  const { executionContextId: contextId } = await devTools.send("Page.createIsolatedWorld", world);
  const evaluate = (expression: string) =>
    devTools.send("Runtime.evaluate", { contextId, expression, awaitPromise: true, returnByValue: true });
  await evaluate(axe.source);
  for (const { colorScheme, width } of views) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const { result } = await evaluate("axe.run({ resultTypes: ['violations'], preload: { assets: ['media'] } })");
    const { violations }: AxeResults = result.value;
    const at = `${new URL(page.url()).pathname}, ${colorScheme}, ${width} px`;
    for (const { id, help, nodes } of violations) found.push(`${at}: ${id}: ${help}: ${nodes.map(({ html }) => html)}`);
    for (const shown of await shownThoughHidden(page)) found.push(`${at}: shown though hidden: ${shown}`);
    if (await scrollsSideways(page)) found.push(`${at}: scrolls sideways`);
  }
  await page.emulateMedia({ colorScheme: null });
  if (size !== null) await page.setViewportSize(size);
  return found;
}

/** Returns whether all of an element is in the window, and nothing covers its middle. */
export function isInWindow(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => {
    const { top, right, bottom, left } = element.getBoundingClientRect();
    const inside = top >= 0 && left >= 0 && bottom <= window.innerHeight && right <= window.innerWidth;
    const shown = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return inside && shown !== null && element.contains(shown);
  });
}

/** Returns the elements that are shown, although they have the attribute `hidden`. */
function shownThoughHidden(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    Array.from(document.querySelectorAll("[hidden]"))
      .filter((element) => element.checkVisibility())
      .map(({ outerHTML }) => outerHTML),
  );
}

/** Returns whether the page is wider than the window. */
function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}
