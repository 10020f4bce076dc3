import type { RequestEnd } from "@platform-rpc/server";
import { describe, expect, it } from "vitest";
import { createCallFigures } from "./call-figures.js";

const traceId = "00f067aa0ba902b74bf92f3577b34da6";

function open() {
  const figures = createCallFigures(["Service/Read", "Service/Write"], ["NOT_FOUND"]);
  const end = (fields: Partial<RequestEnd>) =>
    figures.record({
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
  return { figures, end };
}

describe("the figures of calls", () => {
  it("are counted by operation and reason, and measured by operation", () => {
    const { figures, end } = open();
    end({});
    end({});
    end({ reason: "NOT_FOUND" });
    end({ operation: "Service/Write", durationMs: 20_000 });
    expect(figures.calls()).toEqual([
      { operation: "Service/Read", reason: "OK", count: 2 },
      { operation: "Service/Read", reason: "NOT_FOUND", count: 1 },
      { operation: "Service/Write", reason: "OK", count: 1 },
    ]);
    const [read, write] = figures.durations();
    expect(read).toMatchObject({ operation: "Service/Read", counts: [0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] });
    expect(read?.sum).toBeCloseTo(0.009);
    expect(write?.counts.at(-1)).toBe(1);
  });

  it("have no labels but those of the contract", () => {
    const { figures, end } = open();
    end({ operation: undefined });
    end({ operation: "Unknown/Operation", reason: "A_REASON_OF_AN_IMPLEMENTATION" });
    expect(figures.calls()).toEqual([
      { operation: "other", reason: "OK", count: 1 },
      { operation: "other", reason: "OTHER", count: 1 },
    ]);
  });

  it("contain the newest recorded trace of each bucket", () => {
    const { figures, end } = open();
    end({ traceId: "f".repeat(32), traceSampled: true });
    end({ traceId, traceSampled: true });
    end({ traceId: "e".repeat(32), traceSampled: false });
    const [read] = figures.durations();
    expect(read?.exemplars[2]).toMatchObject({ traceId, value: 0.003 });
    expect(read?.exemplars.filter((exemplar) => exemplar !== undefined)).toHaveLength(1);
  });
});
