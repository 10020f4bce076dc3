import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { exportItemKey, generateItemKey, type ItemKey, importItemKey } from "./item-key.js";

describe("an item key", () => {
  it.each<[string, (itemKey: ItemKey) => unknown]>([
    ["String", (itemKey) => String(itemKey)],
    ["a template", (itemKey) => `${itemKey}`],
    ["JSON", (itemKey) => JSON.parse(JSON.stringify(itemKey))],
    ["JSON as a property", (itemKey) => JSON.parse(JSON.stringify({ itemKey })).itemKey],
    ["inspect", (itemKey) => inspect(itemKey)],
    ["inspect with hidden properties", (itemKey) => inspect(itemKey, { showHidden: true, depth: null })],
  ])("prints as [redacted] in %s", async (_, print) => {
    expect(print(await generateItemKey())).toBe("[redacted]");
  });

  it("has no own properties, and a structured clone of it is rejected", async () => {
    const itemKey = await generateItemKey();
    expect(Reflect.ownKeys(itemKey)).toEqual([]);
    expect(Object.isFrozen(itemKey)).toBe(true);
    const clone: ItemKey = structuredClone(itemKey);
    await expect(exportItemKey(clone)).rejects.toThrow("Invalid itemKey");
  });

  it("imports and exports the same bytes", async () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, index) => index);
    expect(await exportItemKey(await importItemKey(bytes))).toEqual(bytes);
  });

  it.each([0, 16, 24, 31, 33])("is rejected when it is %d bytes long", async (length) => {
    await expect(importItemKey(new Uint8Array(length))).rejects.toThrow(TypeError);
  });
});
