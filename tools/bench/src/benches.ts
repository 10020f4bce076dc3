import { benchAccounts } from "./app/accounts.ts";
import { benchStart } from "./app/start.ts";
import { benchCell } from "./cell/cell.ts";
import { benchConnections } from "./cell/connections.ts";
import { benchClient } from "./client/client.ts";
import { benchConsole } from "./console/console.ts";
import { benchImport } from "./console/import.ts";
import { benchDelete } from "./delete/delete.ts";
import { benchGrowth } from "./delete/growth.ts";
import { benchHostile } from "./http/hostile.ts";
import { benchHttp } from "./http/http.ts";
import { benchIdle } from "./http/idle.ts";
import { benchOracle } from "./oracle/oracle.ts";
import { benchPostgresGrowth } from "./postgres/growth.ts";
import { benchPostgres } from "./postgres/postgres.ts";
import { benchReads } from "./reads/reads.ts";
import { benchSignIn } from "./sign-in/sign-in.ts";
import { benchYear } from "./year/year.ts";

/** The benchmarks, in the order of the report. */
export const benches = {
  http: benchHttp,
  reads: benchReads,
  delete: benchDelete,
  growth: benchGrowth,
  "sign-in": benchSignIn,
  year: benchYear,
  postgres: benchPostgres,
  "growth-postgres": benchPostgresGrowth,
  cell: benchCell,
  connections: benchConnections,
  client: benchClient,
  start: benchStart,
  console: benchConsole,
  import: benchImport,
  idle: benchIdle,
  accounts: benchAccounts,
  hostile: benchHostile,
  oracle: benchOracle,
} as const;

export type BenchName = keyof typeof benches;

export const benchNames = Object.keys(benches).filter(isBenchName);

/** The benchmarks with ratios that `pnpm bench --short` compares. */
export const shortBenches: readonly BenchName[] = ["http", "client"];

export function isBenchName(name: string): name is BenchName {
  return Object.hasOwn(benches, name);
}
