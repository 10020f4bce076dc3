import { expect, it } from "vitest";
import { hasColour, printTable, timeIn } from "./styled.js";
import type { Terminal } from "./terminal.js";

const now = Date.parse("2026-11-28T08:00:00Z");

it.each([
  ["2026-11-28T07:59:50Z", "just now"],
  ["2026-11-28T07:57:00Z", "3 min ago"],
  ["2026-11-28T05:30:00Z", "2 h ago"],
  ["2026-11-27T05:30:00Z", "1 day ago"],
  ["2026-08-20T05:30:00Z", "3 months ago"],
  ["2024-08-20T05:30:00Z", "2 years ago"],
  ["2026-11-28T08:05:00Z", "in 5 min"],
])("on a terminal, %s is %s", (iso, words) => {
  expect(timeIn({ isOutTerminal: true }, iso, now)).toBe(words);
  expect(timeIn({ isOutTerminal: false }, iso, now)).toBe(iso);
});

it.each([
  [true, {}, true],
  [true, { NO_COLOR: "" }, true],
  [true, { NO_COLOR: "1" }, false],
  [true, { TERM: "dumb" }, false],
  [false, {}, false],
])("terminal %s with %j has colour: %s", (isOutTerminal, environment, expected) => {
  expect(hasColour({ isOutTerminal, environment })).toBe(expected);
});

it("columns are aligned, also after characters that fill two columns, and with colour", () => {
  let written = "";
  const terminal: Pick<Terminal, "outBytes" | "isOutTerminal" | "environment"> = {
    outBytes: (bytes) => {
      written += Buffer.from(bytes).toString();
    },
    isOutTerminal: true,
    environment: {},
  };
  printTable(terminal, [
    [{ text: "銀行", style: "bold" }, "1"],
    ["Bank", "2"],
    ["e\u0301", "3"],
    ["👪", "4"],
  ]);
  expect(written.split("\n")).toEqual(["\u001b[1m銀行\u001b[22m  1", "Bank  2", "e\u0301     3", "👪    4", ""]);
});
