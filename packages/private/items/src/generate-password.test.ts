import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { generatePassword, type PasswordOptions, passwordBits, passwordLengths } from "./generate-password.js";

const classes = { lower: /[a-z]/, upper: /[A-Z]/, digits: /\d/, symbols: /[^a-zA-Z\d]/ };

afterEach(() => vi.restoreAllMocks());

describe("a password", () => {
  it("has 20 characters of all classes without options", () => {
    const password = generatePassword();
    expect(password).toHaveLength(20);
    for (const characters of Object.values(classes)) expect(password).toMatch(characters);
  });

  it("has the length that was chosen, at least one character of each class, and none of the others", () => {
    const options = fc.record({
      length: fc.integer({ min: passwordLengths.shortest, max: passwordLengths.longest }),
      letters: fc.boolean(),
      digits: fc.boolean(),
      symbols: fc.boolean(),
      withoutLookAlikes: fc.boolean(),
    });
    const valid = options.filter(({ letters, digits, symbols }) => letters || digits || symbols);
    fc.assert(
      fc.property(valid, (chosen) => {
        const password = generatePassword(chosen);
        expect(password).toHaveLength(chosen.length);
        expect(classes.lower.test(password)).toBe(chosen.letters);
        expect(classes.upper.test(password)).toBe(chosen.letters);
        expect(classes.digits.test(password)).toBe(chosen.digits);
        expect(classes.symbols.test(password)).toBe(chosen.symbols);
        if (chosen.withoutLookAlikes) expect(password).not.toMatch(/[0Oo1lI]/);
      }),
    );
  });

  it.each<[PasswordOptions]>([
    [{ length: 7 }],
    [{ length: 129 }],
    [{ length: 20.5 }],
    [{ letters: false, digits: false, symbols: false }],
  ])("rejects invalid options: %j", (options) => {
    expect(() => generatePassword(options)).toThrow(RangeError);
  });

  it("draws another number instead of one that would favor some characters", () => {
    const numbers = [65_535, 65_530, 65_529, ...Array.from({ length: 7 }, () => 0)];
    vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => {
      if (array instanceof Uint16Array) array[0] = numbers.shift() ?? 0;
      return array;
    });
    expect(generatePassword({ length: 8, letters: false, symbols: false })).toBe("90000000");
  });
});

it.each([
  [{ length: 8, letters: false, symbols: false }, 8 * Math.log2(10)],
  [{ length: 20 }, 128.7],
  // Of two letters of each case, all texts but those of one case.
  [{ length: 8, digits: false, symbols: false }, Math.log2(52 ** 8 - 2 * 26 ** 8)],
])("the entropy of %j counts the passwords that can be generated", (options, bits) => {
  expect(passwordBits(options)).toBeCloseTo(bits, 1);
});
