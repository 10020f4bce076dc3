import { expect, it } from "vitest";
import type { ActivityEntry } from "./activity.js";
import { byDay } from "./entries.js";

const entry = (position: number, at: string): ActivityEntry => ({
  position,
  at,
  by: "you",
  operation: "accounts/sign-in",
  subject: "account:ada",
  event: "signed in",
  version: 0,
  requestId: "r",
});

it("entries are grouped by their day, in their order, and a day is named once", () => {
  const entries = [entry(3, "2026-11-27T12:00:00"), entry(2, "2026-11-27T09:00:00"), entry(1, "2026-11-26T23:00:00")];
  expect(byDay(entries).map(([day, ofDay]) => [day, ofDay.map(({ position }) => position)])).toEqual([
    ["Friday, November 27, 2026", [3, 2]],
    ["Thursday, November 26, 2026", [1]],
  ]);
});
