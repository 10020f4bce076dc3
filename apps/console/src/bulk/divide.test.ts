import { expect, it } from "vitest";
import { divide } from "./divide.js";

it("items are divided into calls of 100, in their order", () => {
  const items = Array.from({ length: 250 }, (_, index) => index);
  const calls = divide(items);
  expect(calls.map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(calls.flat()).toEqual(items);
  expect(divide([])).toEqual([]);
});
