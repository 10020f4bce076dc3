import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClipboardCleaner } from "./clipboard.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A clipboard, and the storage of a tab. */
function start({ canRead = true } = {}) {
  const browser = { text: "", canWrite: true };
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  };
  const clipboard = {
    canRead: async () => canRead,
    readText: async () => (canRead ? browser.text : expect.unreachable("it would ask the person")),
    async writeText(text: string) {
      if (!browser.canWrite) throw new Error("NotAllowedError");
      browser.text = text;
    },
  };
  const openPage = () => createClipboardCleaner(clipboard, storage);
  const page = openPage();
  const copy = (text: string) => {
    browser.text = text;
    page.copied(text);
  };
  return { browser, page, openPage, copy, stored };
}

describe.each([true, false])("a copied secret, in a browser that allows reading: %s", (canRead) => {
  it("leaves the clipboard 30 s after it was last copied", async () => {
    const { browser, copy, stored } = start({ canRead });
    copy("secret");
    await vi.advanceTimersByTimeAsync(20_000);
    copy("secret");
    expect(JSON.stringify([...stored])).not.toContain("secret");
    await vi.advanceTimersByTimeAsync(29_999);
    expect(browser.text).toBe("secret");
    await vi.advanceTimersByTimeAsync(1);
    expect(browser.text).toBe("");
    expect(stored.size).toBe(0);
  });

  it("leaves it at once when the page is locked or left, and on the next page if this one could not do it", async () => {
    const { browser, copy, page, openPage } = start({ canRead });
    copy("secret");
    browser.canWrite = false;
    await page.clear();
    expect(browser.text).toBe("secret");
    browser.canWrite = true;
    openPage();
    await vi.advanceTimersByTimeAsync(0);
    expect(browser.text).toBe("");
  });

  it("leaves it as soon as the browser allows that", async () => {
    const { browser, copy, page } = start({ canRead });
    copy("secret");
    browser.canWrite = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(browser.text).toBe("secret");
    browser.canWrite = true;
    await page.clearIfDue();
    expect(browser.text).toBe("");
  });

  it("is left alone if the page has copied something else", async () => {
    const { browser, copy, page } = start({ canRead });
    copy("secret");
    browser.text = "not a secret";
    page.copied(undefined);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(browser.text).toBe("not a secret");
  });
});

it("what another program has copied is left alone if the browser allows reading", async () => {
  const { browser, copy } = start();
  copy("secret");
  browser.text = "of another program";
  await vi.advanceTimersByTimeAsync(30_000);
  expect(browser.text).toBe("of another program");
});
