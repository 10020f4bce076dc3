import { z } from "zod";
import { readPlainData } from "../plain-data.ts";
import { type Sources, sourceAt } from "../sources.ts";
import { sorted } from "./sorted.ts";

export const limitsFile = "packages/server/src/http/limits.ts";
export const ratesFile = "packages/server/src/platform.ts";

/** How a connection is tended between and after calls, and how much one server takes: nothing that a caller relies on. */
const housekeeping: ReadonlySet<string> = new Set([
  ...["keepAliveMs", "drainBytes", "drainMs", "pieceBytes"],
  ...["connections", "connectionsPerAddress", "backlog", "callsInFlight"],
]);

/** Null: a limit that is off by default, Infinity in the text. */
const limitsSchema = z.record(z.string(), z.number().nullable());
const ratesSchema = z.record(z.string(), z.strictObject({ perMinute: z.number(), burst: z.number() }));

/**
 * The default limits, read from the text of the server.
 *
 * @throws Error when they are not where they were, or not plain data.
 */
export function lockLimits(sources: Sources): Record<string, number> {
  const limits = limitsSchema.parse(readPlainData(sourceAt(sources, limitsFile), "defaultLimits"));
  const rates = ratesSchema.parse(readPlainData(sourceAt(sources, ratesFile), "defaultRates"));
  return sorted([
    ...Object.entries(limits).flatMap(([name, limit]): [string, number][] =>
      limit === null || housekeeping.has(name) ? [] : [[name, limit]],
    ),
    ...Object.entries(rates).flatMap(([operation, { perMinute, burst }]): [string, number][] => [
      [`${operation} burst`, burst],
      [`${operation} perMinute`, perMinute],
    ]),
  ]);
}
