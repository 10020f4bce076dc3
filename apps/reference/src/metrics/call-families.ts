import type { CallLayout } from "./call-figures.js";
import type { Family } from "./exposition.js";

/** The requests of one listener, in the memory of its threads. */
export interface ListenerCalls {
  readonly listener: "public" | "internal" | "accounts";
  readonly layout: CallLayout;
  readonly threads: readonly Float64Array[];
}

/** Returns the rate, the errors and the durations of the requests, by operation. */
export function callFamilies(listeners: readonly ListenerCalls[]): Family[] {
  return [
    {
      type: "counter",
      name: "platform_calls_total",
      help: "Requests that have ended, by operation and reason. OK is a success.",
      samples: listeners.flatMap(({ listener, layout, threads }) =>
        layout
          .calls(threads)
          .map(({ operation, reason, count }) => ({ labels: { listener, operation, reason }, value: count })),
      ),
    },
    {
      type: "histogram",
      name: "platform_call_duration_seconds",
      help: "Time from the head of a request to the decision on its response.",
      samples: listeners.flatMap(({ listener, layout, threads }) =>
        layout.durations(threads).map(({ operation, ...durations }) => ({
          labels: { listener, operation },
          ...durations,
        })),
      ),
    },
  ];
}
