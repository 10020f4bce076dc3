import { median } from "./load.ts";
import { deleteItemRequest } from "./request.ts";
import { startTarget, type Target } from "./target.ts";

const targets = {
  bare: "node:http + JSON.parse/stringify",
  "stock-fixture": "stock connect-es, fixed answer",
  "listener-fixture": "our listener, fixed answer",
  "stock-full": "stock connect-es, token (cached), policy, validation, log",
  "listener-full": "our listener, token (cached), policy, validation, log",
} as const;

type Name = keyof typeof targets;

const rounds = 5;
const connections = 64;

/** Runs `pnpm bench http`: compares the listener with bare node:http and with stock connect-es. */
export async function benchHttp(): Promise<void> {
  // A token of realistic size. The servers have it in their cache, as in production.
  const token = `bench.${"t".repeat(600)}`;
  const request = deleteItemRequest("vault-1", "item-1", token);
  const running: [Name, Target][] = [];
  for (const name of Object.keys(targets).filter(isName))
    running.push([name, await startTarget("./http-target.ts", [name])]);
  const rates = new Map<Name, number[]>();
  const costs = new Map<Name, number[]>();
  try {
    for (const [, target] of running) await target.measure({ connections, durationMs: 1500, next: () => request });
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, target] of running) {
        const { requests, seconds, cpuMicros } = await target.measure({
          connections,
          durationMs: 1500,
          next: () => request,
        });
        rates.set(name, [...(rates.get(name) ?? []), requests / seconds]);
        costs.set(name, [...(costs.get(name) ?? []), cpuMicros]);
      }
    }
  } finally {
    for (const [, target] of running) await target.stop();
  }
  const rate = (name: Name) => median(rates.get(name) ?? []);
  const cost = (name: Name) => median(costs.get(name) ?? []);
  console.log(
    `DeleteItem, ${connections} connections, one core for the server, medians of ${rounds} interleaved rounds`,
  );
  for (const [name] of running) {
    console.log(
      `  ${targets[name].padEnd(60)} ${rate(name).toFixed(0).padStart(7)} requests/s ${cost(name).toFixed(1).padStart(7)} µs CPU per request`,
    );
  }
  console.log("ratios of requests/s, and of CPU time per request");
  ratio("our listener, fixed : bare node:http", "listener-fixture", "bare", 0.9);
  ratio("our listener, fixed : stock connect-es, fixed", "listener-fixture", "stock-fixture", 5.5);
  ratio("our listener, everything on : stock connect-es, everything on", "listener-full", "stock-full", 6);

  function ratio(title: string, ours: Name, theirs: Name, aim: number): void {
    const byRate = rate(ours) / rate(theirs);
    const byCost = cost(theirs) / cost(ours);
    console.log(`  ${title.padEnd(60)} ${byRate.toFixed(2)}x  ${byCost.toFixed(2)}x  (aim ${aim.toFixed(2)}x)`);
  }
}

function isName(name: string): name is Name {
  return name in targets;
}
