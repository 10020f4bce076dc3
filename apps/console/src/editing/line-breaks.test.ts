import fc from "fast-check";
import { expect, it } from "vitest";
import { editShown, replaceShown, shownLines } from "./line-breaks.js";

const lines = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r", "\r\n", "🔑", "\u2028"), maxLength: 12 });
const lineBreak = fc.constantFrom("\n", "\u2028");

it("an edit changes the text where the person has typed, and no line break elsewhere", () => {
  fc.assert(
    fc.property(lines, lines, lineBreak, fc.stringMatching(/^[xyz]{0,3}$/), (start, end, each, typed) => {
      fc.pre(!(start.endsWith("\r") && end.startsWith("\n")));
      const before = shownLines(start + end, each);
      const after = shownLines(start, each) + typed + shownLines(end, each);
      expect(editShown(start + end, before, after)).toBe(start + typed + end);
    }),
  );
});

it("what is pasted takes the place of what was selected, byte for byte", () => {
  const key = "-----BEGIN KEY-----\r\nAAAA\n\r\n-----END KEY-----\r\n";
  expect(replaceShown("one\r\ntwo", 3, 4, key)).toBe(`one${key}two`);
  expect(replaceShown("", 0, 0, key)).toBe(key);
});
