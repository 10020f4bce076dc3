import { median, quantile } from "./load.ts";
import { deleteItemRequest } from "./request.ts";
import { itemName, vaultName, vaults } from "./seed.ts";
import { startTarget, type Target } from "./target.ts";

const hosts = {
  listener: { title: "our listener, batched commits", perRound: 12_000 },
  stock: { title: "stock connect-es, one commit for each delete", perRound: 2000 },
} as const;

type Host = keyof typeof hosts;

const rounds = 5;
const connections = 64;

interface Round {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

/** Runs `pnpm bench delete`: durable deletes over HTTP on SQLite. Each deletes another item and is answered once it is on disk. */
export async function benchDelete(): Promise<void> {
  const results: Record<Host, Round[]> = { listener: [], stock: [] };
  const targets: Record<Host, Target> = { listener: await start("listener"), stock: await start("stock") };
  try {
    for (let round = 0; round <= rounds; round += 1) {
      for (const host of ["listener", "stock"] as const) {
        const measured = await deleteRound(targets[host], host, round);
        // The first round is a warm-up.
        if (round > 0) results[host].push(measured);
      }
    }
  } finally {
    for (const target of Object.values(targets)) await target.stop();
  }
  const of = (host: Host, pick: (round: Round) => number) => median(results[host].map(pick));
  console.log(
    `durable DeleteItem on SQLite, ${connections} connections, one core for the server, medians of ${rounds} interleaved rounds`,
  );
  for (const host of ["listener", "stock"] as const) {
    const [rate, p50, p99] = [of(host, ({ rate }) => rate), of(host, ({ p50 }) => p50), of(host, ({ p99 }) => p99)];
    console.log(
      `  ${hosts[host].title.padEnd(48)} ${rate.toFixed(0).padStart(6)} deletes/s   p50 ${p50.toFixed(1)} ms   p99 ${p99.toFixed(1)} ms`,
    );
  }
  const ratio = of("listener", ({ rate }) => rate) / of("stock", ({ rate }) => rate);
  console.log(
    `  ratio ${ratio.toFixed(2)}x (aim 4x), p99 of our listener (aim below 25 ms) ${of("listener", ({ p99 }) => p99).toFixed(1)} ms`,
  );
}

function start(host: Host): Promise<Target> {
  return startTarget("./delete-target.ts", [host, String(hosts[host].perRound * (rounds + 1))]);
}

async function deleteRound(target: Target, host: Host, round: number): Promise<Round> {
  const { perRound } = hosts[host];
  let item = round * perRound;
  const { requests, seconds, latencies } = await target.measure({
    connections,
    durationMs: 60_000,
    next: () => {
      if (item === (round + 1) * perRound) return undefined;
      const request = deleteItemRequest(vaultName(item % vaults), itemName(item), target.token);
      item += 1;
      return request;
    },
  });
  return { rate: requests / seconds, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}
