import { expect, it } from "vitest";
import { agoInWords, briefly } from "./moment.js";

const now = Date.parse("2026-11-22T12:00:00Z");

it.each([
  ["2026-11-22T12:00:30Z", "now", "now"],
  ["2026-11-22T11:55:00Z", "5 minutes ago", "5 min"],
  ["2026-11-22T09:00:00Z", "3 hours ago", "3 h"],
  ["2026-11-21T11:00:00Z", "yesterday", "1 d"],
  ["2024-11-01T12:00:00Z", "2 years ago", "2 y"],
])("%s is %s, and %s in a list", (at, words, brief) => {
  expect(agoInWords(new Date(at), now)).toBe(words);
  expect(briefly(new Date(at), now)).toBe(brief);
});
