import type { Page } from "playwright-core";

/**
 * Replaces what differs from run to run by fixed examples: codes, times, and the name of the browser. Otherwise every run would
 * change every image.
 */
export function fixText(page: Page): Promise<void> {
  return page.evaluate(() => {
    const examples: readonly (readonly [RegExp, string])[] = [
      [/\b[A-Z]{4}-[A-Z]{4}\b/g, "WDJB-MJHT"],
      [/\b(?:[0-9A-Z]{4}-){6}[0-9A-Z]{4}\b/g, "000G-40R4-0M30-E209-185G-R38E-1X6W"],
      [/\b\d{1,2} \w+ \d{4} at \d\d:\d\d UTC/g, "1 June 2026 at 09:30 UTC"],
      [/(?<=Ends )1 June/g, "1 July"],
      [/^now(?= \()|\b\d+ seconds? ago/g, "20 seconds ago"],
      [/\b[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d\s[AP]M/g, "Jun 1, 2026, 9:30 AM"],
      [/\bHeadlessChrome\b/g, "Chrome"],
    ];
    const fixed = (text: string) => examples.reduce((all, [pattern, example]) => all.replace(pattern, example), text);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) texts.currentNode.nodeValue = fixed(texts.currentNode.nodeValue ?? "");
    for (const input of document.querySelectorAll("input")) {
      if (input.type === "text") input.value = fixed(input.value);
    }
  });
}
