import type { ChromiumOptions } from "@platform-rpc/testbed/chromium";
import { expect, test } from "vitest";
import { openPersonPage, type PersonPage, type PersonPageOptions, startChromium, withoutChromium } from "./browser.js";
import { serveSite } from "./serve-site.js";

const options: ChromiumOptions = {};

/**
 * Tests of pages in Chromium. The tests of a file share the browser; each page has an empty profile and a device of its own. A test fails if
 * a page reports a problem that the test does not take.
 */
export const inBrowser = test
  .extend("options", { scope: "file" }, options)
  .extend("chromium", { scope: "file" }, async ({ options }, { onCleanup }) => {
    const chromium = await startChromium(options);
    onCleanup(() => chromium[Symbol.asyncDispose]());
    return chromium;
  })
  /** Opens a page of another person, or of another browser of the same person. */
  .extend("openPerson", async ({ chromium }, { onCleanup }) => {
    const opened: PersonPage[] = [];
    onCleanup(async () => {
      for (const person of opened) await person.close();
      expect(opened.flatMap((person) => person.takeProblems())).toEqual([]);
    });
    return async (options?: PersonPageOptions): Promise<PersonPage> => {
      const person = await openPersonPage(chromium, options);
      opened.push(person);
      return person;
    };
  })
  .extend("person", ({ openPerson }) => openPerson())
  .extend("page", ({ person }) => person.page);

/** Tests of the accounts site on a platform in memory, skipped without Chromium. */
export const it = inBrowser.extend("site", () => serveSite()).skipIf(withoutChromium);
