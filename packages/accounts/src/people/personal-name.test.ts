import { describe, expect, it } from "vitest";
import { nameProblem } from "./personal-name.js";

const invisible = /invisible characters/;

describe("a name", () => {
  it.each([
    "Ada",
    " Zoë O'Hara 李 ",
    "علی\u200cرضا",
    "क्\u200dष",
    "ශ්\u200dරී",
    "👩\u200d💻",
    "👩🏽\u200d💻",
    "🏴\u200d☠\ufe0f",
    "❤\ufe0f\u200d🔥",
    "👨\u200d👩\u200d👧\u200d👦",
    "x".repeat(64),
  ])("may be %j", (name) => {
    expect(nameProblem(name)).toBeUndefined();
  });

  it.each([
    ["", /Enter a name/],
    [" \n", /Enter a name/],
    ["x".repeat(65), /at most 64/],
    ["a\u0000b", invisible],
    ["a\nb", invisible],
    ["a\u2028b", invisible],
    ["a\u202eb", invisible],
    ["a\u2066b", invisible],
    ["a\u200fb", invisible],
    ["a\u200bb", invisible],
    ["a\u00adb", invisible],
    ["a\ud800b", invisible],
    ["\u200d", invisible],
    ["a\u200d", invisible],
    ["\u200ca", invisible],
    ["a\u200c b", invisible],
    ["a\u200d\u200db", invisible],
    ["1\u200d2", invisible],
  ])("is not %j", (name, problem) => {
    expect(nameProblem(name)).toMatch(problem);
  });
});
