import type { RequestEnd } from "@platform-rpc/server";
import { describe, expect, it } from "vitest";
import { createCallLayout } from "./call-figures.js";

const layout = createCallLayout(["Service/Read", "Service/Write"], ["NOT_FOUND"]);
const traceId = "00f067aa0ba902b74bf92f3577b34da6";

function open() {
  const numbers = new Float64Array(new SharedArrayBuffer(layout.places * 8));
  const record = layout.recorder(numbers);
  const end = (fields: Partial<RequestEnd>) =>
    record({
      requestId: "r-1",
      operation: "Service/Read",
      tenantId: "t-1",
      status: 200,
      code: "ok",
      reason: undefined,
      durationMs: 3,
      traceId: undefined,
      traceSampled: undefined,
      ...fields,
    });
  return { numbers, end };
}

describe("the figures of calls", () => {
  it("are summed over threads, by operation and reason", () => {
    const [one, other] = [open(), open()];
    one.end({});
    other.end({});
    other.end({ reason: "NOT_FOUND" });
    other.end({ operation: "Service/Write", durationMs: 20_000 });
    expect(layout.calls([one.numbers, other.numbers])).toEqual([
      { operation: "Service/Read", reason: "OK", count: 2 },
      { operation: "Service/Read", reason: "NOT_FOUND", count: 1 },
      { operation: "Service/Write", reason: "OK", count: 1 },
    ]);
    const [read, write] = layout.durations([one.numbers, other.numbers]);
    expect(read).toMatchObject({ operation: "Service/Read", counts: [0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] });
    expect(read?.sum).toBeCloseTo(0.009);
    expect(write?.counts.at(-1)).toBe(1);
  });

  it("have no labels but those of the contract", () => {
    const { numbers, end } = open();
    end({ operation: undefined });
    end({ operation: "Unknown/Operation", reason: "A_REASON_OF_AN_IMPLEMENTATION" });
    expect(layout.calls([numbers])).toEqual([
      { operation: "other", reason: "OK", count: 1 },
      { operation: "other", reason: "OTHER", count: 1 },
    ]);
  });

  it("contain the newest recorded trace of each bucket, of any thread", () => {
    const [one, other] = [open(), open()];
    one.end({ traceId: "f".repeat(32), traceSampled: true });
    other.end({ traceId, traceSampled: true });
    other.end({ traceId: "e".repeat(32), traceSampled: false });
    // The time of an exemplar is that of the wall clock: both may have been recorded in the same millisecond.
    const [first] = layout.durations([other.numbers, one.numbers]);
    const found = first?.exemplars[2];
    expect([traceId, "f".repeat(32)]).toContain(found?.traceId);
    expect(layout.durations([other.numbers])[0]?.exemplars[2]).toMatchObject({ traceId, value: 0.003 });
    expect(first?.exemplars.filter((exemplar) => exemplar !== undefined)).toHaveLength(1);
  });
});
