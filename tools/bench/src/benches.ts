import { benchClient } from "./client/client.ts";
import { benchDelete } from "./delete/delete.ts";
import { benchGrowth } from "./delete/growth.ts";
import { benchHttp } from "./http/http.ts";
import { benchOracle } from "./oracle/oracle.ts";

/** The benchmarks, in the order of the report. */
export const benches = {
  http: benchHttp,
  delete: benchDelete,
  growth: benchGrowth,
  client: benchClient,
  oracle: benchOracle,
} as const;

export type BenchName = keyof typeof benches;

export const benchNames = Object.keys(benches).filter(isBenchName);

/** The benchmarks that have a short form: see `compareRatios`. */
export const shortBenches: readonly BenchName[] = ["http", "delete", "client"];

export function isBenchName(name: string): name is BenchName {
  return Object.hasOwn(benches, name);
}
