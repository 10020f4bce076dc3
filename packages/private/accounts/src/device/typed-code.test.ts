import { describe, expect, it } from "vitest";
import { formatTypedCode } from "./typed-code.js";

describe("RFC 8628 section 6.1: a code may be typed in any form", () => {
  it.each([
    ["WDJB-MJHT", "WDJB-MJHT"],
    ["wdjbmjht", "WDJB-MJHT"],
    ["  wdjb mjht\n", "WDJB-MJHT"],
    ["WDJB–MJHT.", "WDJB-MJHT"],
    ["wdjbm", "WDJB-M"],
    ["", ""],
  ])("%j is %j", (typed, formatted) => {
    expect(formatTypedCode(typed)).toBe(formatted);
  });
});
