import { describe, expect, it } from "vitest";
import { rpcError } from "../services/rpc-error.js";
import { createRequestLog, readTraceParent } from "./request-log.js";

const traceIdOf = (number: number) => number.toString(16).padStart(32, "0");

function open(logSuccesses: number) {
  const logged: object[] = [];
  const ends: object[] = [];
  const logger = { info: (fields: object) => logged.push(fields), error: (fields: object) => logged.push(fields) };
  const log = createRequestLog(logger, { logSuccesses, onRequestEnd: (end) => ends.push(end) });
  const end = (requestId: string, traceId?: string, error = false) =>
    log.ended({
      requestId,
      operation: undefined,
      tenantId: undefined,
      status: error ? 404 : 200,
      error: error ? rpcError("ITEM_NOT_FOUND") : undefined,
      durationMs: 1,
      trace: traceId === undefined ? undefined : { traceId, sampled: true },
    });
  return { logged, ends, end };
}

describe("the log of successful requests", () => {
  it("contains the configured part of them, and the hook gets all", () => {
    const { logged, ends, end } = open(0.1);
    for (let number = 0; number < 10_000; number += 1) end(`r-${number}`);
    expect(logged.length).toBeGreaterThan(800);
    expect(logged.length).toBeLessThan(1_200);
    expect(ends).toHaveLength(10_000);
  });

  it("contains all requests of a trace or none of them, in every process", () => {
    const [one, other] = [open(0.3), open(0.3)];
    for (let number = 1; number <= 500; number += 1) {
      for (const { end } of [one, one, other]) end(`r-${Math.random()}`, traceIdOf(number));
    }
    const idsOf = (logged: readonly object[]) => logged.map((fields) => ("traceId" in fields ? fields.traceId : ""));
    expect(idsOf(one.logged)).toEqual(idsOf(other.logged).flatMap((traceId) => [traceId, traceId]));
    expect(other.logged.length).toBeGreaterThan(90);
    expect(other.logged.length).toBeLessThan(210);
  });

  it("contains every failed request, whatever the part is", () => {
    const { logged, end } = open(0);
    end("r-1");
    end("r-2", undefined, true);
    expect(logged).toMatchObject([{ requestId: "r-2", reason: "ITEM_NOT_FOUND" }]);
  });
});

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

it.each([
  [`00-${traceId}-${spanId}-01`, { traceId, sampled: true }],
  [`00-${traceId}-${spanId}-00`, { traceId, sampled: false }],
  [`cc-${traceId}-${spanId}-01-more`, { traceId, sampled: true }],
  [undefined, undefined],
  [`00-${traceId}-${spanId}-01-more`, undefined],
  [`00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`, undefined],
  [`ff-${traceId}-${spanId}-01`, undefined],
  [`00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
  [`00-${"0".repeat(32)}-${spanId}-01`, undefined],
  [`00-${traceId}-${"0".repeat(16)}-01`, undefined],
])("W3C Trace Context: %j is read as %j", (header, expected) => {
  expect(readTraceParent(header)).toEqual(expected);
});
