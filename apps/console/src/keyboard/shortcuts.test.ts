import { expect, it } from "vitest";
import { shortcutOf } from "./shortcuts.js";

const plain = { ctrlKey: false, altKey: false, metaKey: false, defaultPrevented: false, elsewhere: false };

it.each([
  ["a shortcut", { key: "p" }, "p"],
  ["another key", { key: "y" }, undefined],
  ["the name of a method of objects", { key: "toString" }, undefined],
  ["a key of the browser", { key: "p", ctrlKey: true }, undefined],
  ["a key while the person types or a dialog is open", { key: "p", elsewhere: true }, undefined],
  ["a key that something else handled", { key: "p", defaultPrevented: true }, undefined],
])("%s", (_, changes, shortcut) => {
  expect(shortcutOf({ ...plain, ...changes })).toBe(shortcut);
});
