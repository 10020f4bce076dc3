import { expect, it } from "vitest";
import { createCallFigures } from "./call-figures.js";

const end = { operation: "Service/Read", reason: undefined, durationMs: 3 } as const;

it("the figures of calls have no labels but those of the contract", () => {
  const figures = createCallFigures("public", ["Service/Read"], ["NOT_FOUND"]);
  figures.record({ ...end, reason: "NOT_FOUND" });
  figures.record({ ...end, operation: undefined });
  figures.record({ ...end, operation: "Unknown/Operation", reason: "A_REASON_OF_AN_IMPLEMENTATION" });
  expect(figures.calls()).toEqual([
    { labels: { listener: "public", operation: "Service/Read", reason: "NOT_FOUND" }, value: 1 },
    { labels: { listener: "public", operation: "other", reason: "OK" }, value: 1 },
    { labels: { listener: "public", operation: "other", reason: "OTHER" }, value: 1 },
  ]);
});

it("a bucket of durations names its newest recorded trace", () => {
  const figures = createCallFigures("public", ["Service/Read"], []);
  const traceId = "a".repeat(32);
  figures.record({ ...end, traceId: "f".repeat(32), traceSampled: true });
  figures.record({ ...end, traceId, traceSampled: true });
  figures.record({ ...end, traceId: "e".repeat(32), traceSampled: false });
  const exemplars = figures.durations()[0]?.exemplars?.filter((exemplar) => exemplar !== undefined);
  expect(exemplars).toMatchObject([{ traceId, value: 0.003 }]);
});
