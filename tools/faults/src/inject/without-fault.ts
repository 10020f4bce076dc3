import type { Fault } from "./fault.ts";

/** A load without a fault: the most calls for the check for linearizability. */
export const withoutFault: Fault = {
  title: "load without a fault",
  engines: ["sqlite", "postgres"],
  calls: { full: 100_000, short: 10_000 },
  inject: async () => [],
};
