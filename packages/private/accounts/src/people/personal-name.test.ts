import { describe, expect, it } from "vitest";
import { nameProblem } from "./personal-name.js";

const invisible = /invisible characters/;

describe("a name", () => {
  it.each([
    " Zoë O'Hara 李 ",
    "علی\u200cرضا",
    "ශ්\u200dරී",
    "👩\u200d💻",
    "👩🏽\u200d💻",
    "🏴\u200d☠\ufe0f",
    "x".repeat(64),
  ])("may be %j", (name) => {
    expect(nameProblem(name)).toBeUndefined();
  });

  it.each([
    ["", /Enter a name/],
    ["x".repeat(65), /at most 64/],
    ["a\u0000b", invisible],
    ["a\u2028b", invisible],
    ["a\u202eb", invisible],
    ["a\u200fb", invisible],
    ["a\u200bb", invisible],
    ["a\ud800b", invisible],
    ["\u200d", invisible],
    ["a\u200c b", invisible],
    ["a\u200d\u200db", invisible],
  ])("is not %j", (name, problem) => {
    expect(nameProblem(name)).toMatch(problem);
  });
});
