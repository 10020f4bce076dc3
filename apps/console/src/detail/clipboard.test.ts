import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createCopier } from "./clipboard.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start({ canRead = true, focused = async () => {} } = {}) {
  const clipboard = { text: "" };
  const copy = createCopier({
    readText: async () => (canRead ? clipboard.text : Promise.reject(new Error("NotAllowedError"))),
    async writeText(text) {
      clipboard.text = text;
    },
    focused,
  });
  return { clipboard, copy };
}

describe("a copied value", () => {
  it("leaves the clipboard after 30 s", async () => {
    const { clipboard, copy } = start();
    await copy("secret");
    await vi.advanceTimersByTimeAsync(29_999);
    expect(clipboard.text).toBe("secret");
    await vi.advanceTimersByTimeAsync(1);
    expect(clipboard.text).toBe("");
  });

  it("is kept 30 s from the last copy", async () => {
    const { clipboard, copy } = start();
    await copy("secret");
    await vi.advanceTimersByTimeAsync(20_000);
    await copy("secret");
    await vi.advanceTimersByTimeAsync(29_999);
    expect(clipboard.text).toBe("secret");
  });

  it("is removed once the page has the focus again", async () => {
    const focus = Promise.withResolvers<void>();
    const { clipboard, copy } = start({ focused: () => focus.promise });
    await copy("secret");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(clipboard.text).toBe("secret");
    focus.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(clipboard.text).toBe("");
  });

  it.each([
    ["something else was copied", true],
    ["the browser does not allow reading", false],
  ])("is left alone if %s", async (_, canRead) => {
    const { clipboard, copy } = start({ canRead });
    await copy("secret");
    clipboard.text = "of another page";
    await vi.advanceTimersByTimeAsync(30_000);
    expect(clipboard.text).toBe("of another page");
  });
});
