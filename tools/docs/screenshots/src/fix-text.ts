import type { Page } from "playwright-core";

/** Replaces codes, times and the name of the browser by fixed examples: otherwise every run would change every image. */
export function fixText(page: Page): Promise<void> {
  return page.evaluate(() => {
    const examples: readonly (readonly [RegExp, string])[] = [
      [/\b[A-Z]{4}-[A-Z]{4}\b/g, "WDJB-MJHT"],
      [/\b(?:[0-9A-Z]{4}-){6}[0-9A-Z]{4}\b/g, "000G-40R4-0M30-E209-185G-R38E-1X6W"],
      [/\b\d{1,2} \w+ \d{4} at \d\d:\d\d UTC/g, "1 June 2026 at 09:30 UTC"],
      [/(?<=Ends |At the latest )1 June/g, "1 July"],
      [/(?<=Only until )1 June/g, "8 June"],
      [/^now$|\b\d+ seconds? ago/g, "20 seconds ago"],
      [/\b[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d(?::\d\d)?\s[AP]M/g, "Jun 1, 2026, 9:30 AM"],
      [/^[A-Z][a-z]+ \d{1,2}(?:, \d{4})?$/g, "June 8"],
      [/^\d{1,2}:\d\d\s[AP]M(?= today$| tomorrow$)/g, "9:45 AM"],
      [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "2026-06-01T09:30:00.000Z"],
      [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "9b2f7c1e-5d3a-4e6f-8a1b-2c3d4e5f6a7b"],
      [/[\u2800-\u28ff](?= Waiting)/g, "⠋"],
      [/\bHeadlessChrome\b/g, "Chrome"],
      [/(?<=\b(?:localhost|127\.0\.0\.1):)\d+/g, "8080"],
    ];
    const fixed = (text: string) => examples.reduce((all, [pattern, example]) => all.replace(pattern, example), text);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) texts.currentNode.nodeValue = fixed(texts.currentNode.nodeValue ?? "");
    for (const field of [...document.querySelectorAll("input"), ...document.querySelectorAll("textarea")]) {
      if (field.type.startsWith("text")) field.value = fixed(field.value);
      if (field.type === "datetime-local") field.value = "2026-06-08T09:30";
    }
  });
}
