import fc from "fast-check";
import { expect, it } from "vitest";
import { generatePassphrase, passphraseBits, passphraseLengths } from "./generate-passphrase.js";

const list = ["abacus", "zoom", "mango", "river"];

it("a passphrase has the chosen number of words of the list, joined as chosen", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: passphraseLengths.shortest, max: passphraseLengths.longest }),
      fc.constantFrom("-", " ", ".", "_"),
      fc.boolean(),
      fc.boolean(),
      (words, separator, capitals, digit) => {
        const parts = generatePassphrase(list, { words, separator, capitals, digit }).split(separator);
        expect(parts).toHaveLength(words);
        expect(parts.filter((part) => /\d$/.test(part))).toHaveLength(digit ? 1 : 0);
        for (const part of parts) {
          expect(list).toContain(part.toLowerCase().replace(/\d$/, ""));
          expect(/^[A-Z]/.test(part)).toBe(capitals);
        }
      },
    ),
  );
});

it.each([3, 11, 4.5, Number.NaN])("%d words are rejected", (words) => {
  expect(() => generatePassphrase(list, { words })).toThrow(RangeError);
});

it("the words and the place of the digit are random", () => {
  const made = new Set(Array.from({ length: 200 }, () => generatePassphrase(list, { words: 4, digit: true })));
  expect(made.size).toBeGreaterThan(150);
});

it("the entropy is that of the words, and of the digit and its place", () => {
  expect(passphraseBits(7776)).toBeCloseTo(77.55, 2);
  expect(passphraseBits(7776, { words: 4 })).toBeCloseTo(51.7, 2);
  expect(passphraseBits(7776, { words: 4, digit: true })).toBeCloseTo(51.7 + Math.log2(40), 2);
});
