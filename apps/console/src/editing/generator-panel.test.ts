import { expect, it } from "vitest";
import { wordList } from "./generator-panel.js";

it("the list has as many words as five dice have results, each once and of 3 to 9 letters", () => {
  expect(wordList).toHaveLength(6 ** 5);
  expect(new Set(wordList).size).toBe(6 ** 5);
  expect(wordList.filter((word) => !/^[a-z]{3,9}$/.test(word))).toEqual([]);
});
