import { expect, it } from "vitest";
import { shortcutOf } from "./shortcuts.js";

const plain = { ctrlKey: false, altKey: false, metaKey: false, defaultPrevented: false, elsewhere: false };

it.each([
  ["a shortcut", { key: "j" }, "j"],
  ["another key", { key: "y" }, undefined],
  ["the name of a method of objects", { key: "toString" }, undefined],
  ["a key of the browser", { key: "j", ctrlKey: true }, undefined],
  ["a key while the person types or a dialog is open", { key: "j", elsewhere: true }, undefined],
  ["a key that something else handled", { key: "j", defaultPrevented: true }, undefined],
])("%s", (_, changes, shortcut) => {
  expect(shortcutOf({ ...plain, ...changes })).toBe(shortcut);
});
