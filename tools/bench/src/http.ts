import { type Cell, startCell } from "./cell.ts";
import { median } from "./load.ts";
import { deleteItemRequest } from "./request.ts";

const cells = {
  bare: "node:http + JSON.parse/stringify",
  "stock-canned": "stock connect-es, canned answer",
  "listener-canned": "our listener, canned answer",
  "stock-full": "stock connect-es, token (cached), policy, validation, log",
  "listener-full": "our listener, token (cached), policy, validation, log",
} as const;

type Name = keyof typeof cells;

const rounds = 5;
const connections = 64;

/** `pnpm bench http`: what the listener costs, against bare node:http and against stock connect-es. */
export async function benchHttp(): Promise<void> {
  // A long-lived token of the right size: the servers have it in their cache, as they would have in a real life.
  const token = `bench.${"t".repeat(600)}`;
  const request = deleteItemRequest("vault-1", "item-1", token);
  const running: [Name, Cell][] = [];
  for (const name of Object.keys(cells).filter(isName)) running.push([name, await startCell("./http-cell.ts", [name])]);
  const rates = new Map<Name, number[]>();
  const costs = new Map<Name, number[]>();
  try {
    for (const [, cell] of running) await cell.measure({ connections, durationMs: 1500, next: () => request });
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, cell] of running) {
        const { requests, seconds, cpuMicros } = await cell.measure({
          connections,
          durationMs: 1500,
          next: () => request,
        });
        rates.set(name, [...(rates.get(name) ?? []), requests / seconds]);
        costs.set(name, [...(costs.get(name) ?? []), cpuMicros]);
      }
    }
  } finally {
    for (const [, cell] of running) await cell.stop();
  }
  const rate = (name: Name) => median(rates.get(name) ?? []);
  const cost = (name: Name) => median(costs.get(name) ?? []);
  console.log(
    `DeleteItem, ${connections} connections, one core for the server, medians of ${rounds} interleaved rounds`,
  );
  for (const [name] of running) {
    console.log(
      `  ${cells[name].padEnd(60)} ${rate(name).toFixed(0).padStart(7)} requests/s ${cost(name).toFixed(1).padStart(7)} µs CPU a request`,
    );
  }
  console.log("ratios of requests/s, and of CPU time a request");
  ratio("our listener, canned : bare node:http", "listener-canned", "bare", 0.9);
  ratio("our listener, canned : stock connect-es, canned", "listener-canned", "stock-canned", 5.5);
  ratio("our listener, everything on : stock connect-es, everything on", "listener-full", "stock-full", 6);

  function ratio(title: string, ours: Name, theirs: Name, aim: number): void {
    const byRate = rate(ours) / rate(theirs);
    const byCost = cost(theirs) / cost(ours);
    console.log(`  ${title.padEnd(60)} ${byRate.toFixed(2)}x  ${byCost.toFixed(2)}x  (aim ${aim.toFixed(2)}x)`);
  }
}

function isName(name: string): name is Name {
  return name in cells;
}
