import { expect, it } from "vitest";
import { expose, type Family } from "./exposition.js";

const families: readonly Family[] = [
  {
    type: "counter",
    name: "calls_total",
    help: "Calls.",
    samples: [{ labels: { operation: 'a"b\\c\nd', reason: "OK" }, value: 3 }],
  },
  { type: "gauge", name: "ready", help: "Ready.", samples: [{ value: 1 }] },
  {
    type: "histogram",
    name: "seconds",
    help: "Time.",
    samples: [
      {
        labels: { operation: "x" },
        bounds: [0.5, 1],
        counts: [2, 0, 1],
        sum: 4.25,
        exemplars: [
          { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", value: 0.25, at: 1_700_000_000.5 },
          undefined,
          undefined,
        ],
      },
    ],
  },
];

it("metrics are written in the text format of Prometheus", () => {
  expect(expose(families, "text")).toBe(`# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{operation="a\\"b\\\\c\\nd",reason="OK"} 3
# HELP ready Ready.
# TYPE ready gauge
ready 1
# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{operation="x",le="0.5"} 2
seconds_bucket{operation="x",le="1.0"} 2
seconds_bucket{operation="x",le="+Inf"} 3
seconds_sum{operation="x"} 4.25
seconds_count{operation="x"} 3
`);
});
