import { expect, it } from "vitest";
import { readTraceParent } from "./request-log.js";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

it.each([
  [`00-${traceId}-${spanId}-01`, { traceId, sampled: true }],
  [`00-${traceId}-${spanId}-00`, { traceId, sampled: false }],
  [`00-${traceId}-${spanId}-03`, { traceId, sampled: true }],
  [`cc-${traceId}-${spanId}-01-more`, { traceId, sampled: true }],
  [undefined, undefined],
  ["", undefined],
  [`00-${traceId}-${spanId}-01-more`, undefined],
  [`00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`, undefined],
  [`ff-${traceId}-${spanId}-01`, undefined],
  [`00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
  [`00-${"0".repeat(32)}-${spanId}-01`, undefined],
  [`00-${traceId}-${"0".repeat(16)}-01`, undefined],
  [`00-${traceId}-${spanId}-0`, undefined],
])("W3C Trace Context: %j is read as %j", (header, expected) => {
  expect(readTraceParent(header)).toEqual(expected);
});
