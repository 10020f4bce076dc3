import { expect, it } from "vitest";
import type { RecordedCall } from "../history/journal.ts";
import { longestWithoutWrite } from "./failover-faults.ts";

const call = (kind: "delete" | "get", endedAt: number, answered = true): RecordedCall => ({
  request: { on: "item", vaultId: "v", itemId: "i", ...(kind === "get" ? { kind } : { kind, baseVersion: 1 }) },
  requestId: "",
  begunAt: 0,
  endedAt,
  result: answered ? { ok: true, version: 1, deleted: kind === "delete", sequence: 1, content: "" } : undefined,
  lost: answered ? undefined : "UNAVAILABLE",
  refused: undefined,
});

it("the longest time without a successful write is measured in each period: reads and failures do not end it", () => {
  const calls = [call("delete", 9000), call("get", 3000), call("delete", 2000), call("delete", 5000, false)];
  const periods = [
    { from: 1000, to: 10_000 },
    { from: 8000, to: 12_000 },
    { from: 20_000, to: 30_000 },
  ];
  expect(longestWithoutWrite(calls, periods)).toEqual([7, 3, 10]);
});
