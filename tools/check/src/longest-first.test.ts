import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { longest } from "./longest-first.ts";

it.each(longest)("%s exists", (file) => {
  expect(existsSync(new URL(`../../../${file}`, import.meta.url))).toBe(true);
});
