import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateRecoveryCode, lastGroupProblem, parseRecoveryCode, printRecoveryCode } from "./recovery-code.js";

const anyCode = fc.uint8Array({ minLength: 16, maxLength: 16 });
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const printed = printRecoveryCode(Uint8Array.from({ length: 16 }, (_, index) => index));

describe("a recovery code", () => {
  it("has a format that never changes: people have printed codes", () => {
    expect(printed).toBe("000G-40R4-0M30-E209-185G-R38E-1X6W");
  });

  it("has 128 random bits", () => {
    const codes = Array.from({ length: 100 }, () => printRecoveryCode(generateRecoveryCode()));
    expect(new Set(codes).size).toBe(100);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){6}$/);
  });

  it("parses as the bytes that were printed", () => {
    fc.assert(
      fc.property(anyCode, (code) => {
        expect(parseRecoveryCode(printRecoveryCode(code))).toEqual({ ok: true, code });
      }),
    );
  });

  it.each([
    ["lower case", printed.toLowerCase()],
    ["no hyphens", printed.replaceAll("-", "")],
    ["spaces, line breaks and long hyphens", ` ${printed.replace("-", " \n").replace("-", "\u2013")}\t`],
    ["letters that look like digits", printed.replaceAll("0", "O").replaceAll("1", "l").replace("l", "I")],
  ])("may be typed with %s", (_, typed) => {
    expect(parseRecoveryCode(typed)).toMatchObject({ ok: true });
  });

  it("is rejected with each single wrong character", () => {
    fc.assert(
      fc.property(anyCode, fc.nat(27), fc.integer({ min: 1, max: 31 }), (code, at, shift) => {
        const typed = printRecoveryCode(code).replaceAll("-", "").split("");
        typed[at] = alphabet.charAt((alphabet.indexOf(typed[at] ?? "") + shift) % 32);
        expect(parseRecoveryCode(typed.join(""))).toMatchObject({ ok: false });
      }),
      { numRuns: 500 },
    );
  });

  it("is rejected with each pair of swapped neighbors", () => {
    fc.assert(
      fc.property(anyCode, fc.nat(26), (code, at) => {
        const typed = printRecoveryCode(code).replaceAll("-", "").split("");
        const [one = "", other = ""] = typed.slice(at, at + 2);
        fc.pre(one !== other);
        typed.splice(at, 2, other, one);
        expect(parseRecoveryCode(typed.join(""))).toMatchObject({ ok: false });
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["", "You entered 0"],
    [printed.slice(0, -1), "You entered 27"],
    [`${printed}0`, "You entered 29"],
    [`${printed.slice(0, -1)}U`, "no U"],
    [`${printed.slice(0, -1)}!`, "only digits and letters"],
    [`${printed.slice(0, -1)}0`, "At least one character"],
  ])("that is typed as %j is rejected with the cause", (typed, message) => {
    expect(parseRecoveryCode(typed)).toEqual({ ok: false, message: expect.stringContaining(message) });
  });
});

describe("the last group of a code, which a person types to confirm that they have stored it", () => {
  it.each(["1X6W", "1x6w", " ix6w ", "Lx-6w"])("is %j", (typed) => {
    expect(lastGroupProblem(printed, typed)).toBeUndefined();
  });

  it.each(["", "1X6", "000G", "R38E", printed])("is not %j", (typed) => {
    expect(lastGroupProblem(printed, typed)).toContain("not the last group");
  });
});
