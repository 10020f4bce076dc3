/** What is aimed at. `limit` names the heading of a profile which shows that the first aim, a better value, cannot be reached. */
type Bound = ({ readonly atLeast: number } | { readonly atMost: number }) & { readonly limit?: string };

export interface Aim {
  /** What is measured, or two things that are compared: `ours : theirs`. */
  readonly what: string;
  /** The measure, such as `CPU per call` or `p99`. */
  readonly by: string;
  readonly unit: "" | "ms" | "kB" | "MiB";
  /** Undefined: measured without an aim. */
  readonly bound: Bound | undefined;
  /** Whether it is a ratio of CPU times, which a busy machine affects least. `pnpm bench --short` checks these. */
  readonly steady: boolean;
}

/** A ratio of rates. 2 means twice as many requests. */
const rates = { by: "requests/s", unit: "", steady: false } as const;
/** A ratio of CPU times, the other server's to ours. 2 means half of the CPU time. */
const cpuTimes = { by: "CPU per request", unit: "", steady: true } as const;
/** A ratio of CPU times, our client's to the other's. 0.5 means half of the CPU time. */
const cpuOfCalls = { by: "CPU per call", unit: "", steady: true } as const;

const fixed = "our listener with a fixed response : bare node:http";
const platform = "our listener with everything on : bare node:http";
const stock = "our listener with everything on : stock Connect with everything on";
const retry = "retries of deletions, which read SQLite : a fixed response, both with everything on";
const deletion = "durable deletions : stock Connect with one commit for each";

function readsToBare(what: string, bound: Aim["bound"]) {
  return { what: `${what} : bare node:http with the same JSON`, ...cpuTimes, bound, steady: false } as const;
}

function onOneCore(what: string, bound: Bound) {
  return {
    what: `${what}, the app on one core`,
    by: "per second",
    unit: "",
    bound,
    steady: false,
  } as const;
}

function loginToPeer(what: string, atLeast: number) {
  return {
    what: `${what} : node-oidc-provider`,
    ...cpuTimes,
    by: "CPU per login",
    bound: { atLeast, limit: "logins" },
    steady: false,
  } as const;
}

function slowest(what: string, atMost: number) {
  const bound = { atMost, limit: "logins" };
  return { what: `${what}, the app on one core`, by: "p99", unit: "ms", bound, steady: false } as const;
}

/** A figure of the machine, which other work changes. */
function unsteady(what: string, by: string, unit: Aim["unit"], bound: Aim["bound"]) {
  return { what, by, unit, bound, steady: false } as const;
}

const large = "the console with 10 000 items";

export const aims = {
  fixedRate: { what: fixed, ...rates, bound: { atLeast: 0.88 } },
  fixedCpu: { what: fixed, ...cpuTimes, bound: { atLeast: 0.88 } },
  platformRate: { what: platform, ...rates, bound: { atLeast: 0.72 } },
  platformCpu: { what: platform, ...cpuTimes, bound: { atLeast: 0.72 } },
  stockRate: { what: stock, ...rates, bound: { atLeast: 5, limit: "everything-on" } },
  stockCpu: { what: stock, ...cpuTimes, bound: { atLeast: 5, limit: "everything-on" } },
  retryRate: { what: retry, ...rates, bound: { atLeast: 0.7 } },
  retryCpu: { what: retry, ...cpuTimes, bound: { atLeast: 0.7 } },
  retryToBare: readsToBare("an exact retry of a deletion", { atLeast: 0.6 }),
  getItem: readsToBare("GetItem", { atLeast: 0.55 }),
  listFew: readsToBare("ListChanges with 5 changes", { atLeast: 0.45 }),
  listMany: readsToBare("ListChanges with 50 changes", { atLeast: 0.7 }),
  deleteRate: { what: deletion, ...rates, by: "deletions/s", bound: { atLeast: 4 } },
  // Depends on how many deletions share a commit, so on the disk.
  deleteCpu: { what: deletion, ...cpuTimes, by: "CPU per deletion", bound: undefined, steady: false },
  deleteDelegated: {
    what: "durable deletions of a delegation : without one",
    by: "CPU per deletion",
    unit: "",
    bound: { atMost: 1.05 },
    steady: false,
  },
  deleteP99: {
    what: "durable deletions",
    by: "p99",
    unit: "ms",
    bound: { atMost: 20, limit: "checkpoints-between-batches" },
    steady: false,
  },
  exchangeRate: onOneCore("exchanges of approved device codes", { atLeast: 1800, limit: "logins" }),
  exchangeP99: slowest("exchanges of approved device codes", 80),
  exchangeToPeer: loginToPeer("an exchange of an approved device code", 0.6),
  refreshRate: onOneCore("refreshes of tokens", { atLeast: 2400, limit: "logins" }),
  refreshP99: slowest("refreshes of tokens", 50),
  refreshToPeer: loginToPeer("a refresh of tokens", 0.8),
  signInRate: onOneCore("sign-ins with a recovery code", { atLeast: 1000 }),
  signInP99: slowest("one of the two requests of a sign-in", 65),
  growthRate: {
    what: "durable deletions with 10⁶ items : with 10³ items",
    ...rates,
    by: "deletions/s",
    bound: { atLeast: 0.8 },
  },
  // A ratio of CPU times, in the large database to the small one. 2 means that a deletion in the large one costs twice as much.
  growthCpu: {
    what: "durable deletions with 10⁶ items in 10⁵ vaults : with 10³ items in 10² vaults",
    by: "CPU per deletion",
    unit: "",
    bound: { atMost: 1.5, limit: "a-large-database" },
    steady: false,
  },
  postgresFleet: {
    what: "durable deletions on PostgreSQL, one vault: 4 processes : 1 process",
    ...rates,
    by: "deletions/s",
    bound: { atLeast: 1 },
  },
  postgresP99: {
    what: "durable deletions on PostgreSQL, 100 vaults",
    by: "p99",
    unit: "ms",
    bound: { atMost: 15 },
    steady: false,
  },
  brokerAdded: unsteady("the broker, compared with a proxy on bare node:http", "added p50", "ms", { atMost: 3 }),
  brokerPerCore: unsteady("requests of agents, the broker on one core", "per second", "", { atLeast: 1000 }),
  brokerRate: { what: "the broker : a proxy on bare node:http", ...rates, bound: undefined },
  clientJson: { what: "`@platform-rpc/client/json` : plain `fetch`", ...cpuOfCalls, bound: { atMost: 1.2 } },
  clientConnect: { what: "`@platform-rpc/client` : stock Connect client", ...cpuOfCalls, bound: { atMost: 1 } },
  connectionsNew: unsteady("a call on a new connection, with 2 000 busy ones", "p99", "ms", { atMost: 1000 }),
  connectionsHealth: unsteady("a health check on a new connection, with 2 000 busy ones", "p99", "ms", { atMost: 500 }),
  connectionsRate: unsteady("2 000 busy connections : 64", "answers/s", "", { atLeast: 0.95 }),
  connectionsMemory: unsteady("the app with busy connections", "peak memory", "MiB", { atMost: 512 }),
  connectionsOverload: unsteady("twice as many calls as the capacity : the capacity", "answers/s", "", {
    atLeast: 0.9,
  }),
  connectionsRefusals: unsteady("refusals", "without Retry-After", "", { atMost: 0 }),
  start: unsteady("start of the platform app", "first 200", "ms", { atMost: 420, limit: "start" }),
  consoleInteractive: unsteady(large, "interactive", "ms", { atMost: 1000 }),
  consoleAllTitles: unsteady(`${large} and a vault key`, "all titles, signatures checked", "ms", { atMost: 3000 }),
  consoleReload: unsteady(`${large}, reloaded`, "first title", "ms", { atMost: 400 }),
  consoleReloadTitles: unsteady(`${large}, reloaded`, "all titles, signatures checked", "ms", { atMost: 1500 }),
  consoleReloadBytes: unsteady(`${large}, reloaded`, "received", "kB", { atMost: 20 }),
  consoleSlow: unsteady("the console with 312 items over a slow network", "first title", "ms", {
    atMost: 7000,
    limit: "the-vault-page-over-a-slow-network",
  }),
  consoleSlowReload: unsteady("the same, reloaded", "first title", "ms", { atMost: 1000 }),
  consoleFirstLoad: unsteady("the console, compressed JavaScript", "first load", "kB", { atMost: 130 }),
} as const satisfies Readonly<Record<string, Aim>>;

export type AimId = keyof typeof aims;

export function reaches({ bound }: Aim, value: number): boolean | undefined {
  if (bound === undefined) return undefined;
  return "atLeast" in bound ? value >= bound.atLeast : value <= bound.atMost;
}
