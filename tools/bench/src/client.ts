import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { createPlatformClient } from "@platform-rpc/client";
import { createPlatformClient as createJsonClient } from "@platform-rpc/client/json";
import { VaultService } from "@platform-rpc/types";
import { median } from "./load.ts";
import { startTarget } from "./target.ts";

const rounds = 5;
const durationMs = 1_000;
const concurrency = 16;

const request = { vaultId: "vault-1", itemId: "item-1", baseVersion: 3 };
const token = `bench.${"t".repeat(600)}`;

/** The result of one round. */
interface Measured {
  readonly callsPerSecond: number;
  readonly cpuMicros: number;
}

/** Runs `pnpm bench client`: compares both client entries with plain `fetch` and a stock Connect client. */
export async function benchClient(): Promise<void> {
  const target = await startTarget("./http-target.ts", ["bare"]);
  const clients = clientsOf(`http://127.0.0.1:${target.port}`);
  const results = new Map<string, Measured[]>();
  try {
    for (const [, call] of clients) await measure(call);
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, call] of clients) results.set(name, [...(results.get(name) ?? []), await measure(call)]);
    }
  } finally {
    await target.stop();
  }
  console.log(
    `DeleteItem, ${concurrency} calls at a time, bare node:http server, medians of ${rounds} interleaved rounds`,
  );
  for (const [name, measured] of results) {
    const rate = median(measured.map(({ callsPerSecond }) => callsPerSecond));
    const cost = median(measured.map(({ cpuMicros }) => cpuMicros));
    console.log(
      `  ${name.padEnd(40)} ${rate.toFixed(0).padStart(7)} calls/s ${cost.toFixed(1).padStart(7)} µs CPU per call`,
    );
  }
}

/** Returns the clients, each with a call that reads the item of the response. */
function clientsOf(baseUrl: string): [name: string, call: () => Promise<unknown>][] {
  const json = createJsonClient({ baseUrl, token });
  const connect = createPlatformClient({ baseUrl, token });
  const transport = createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false });
  const stock = createClient(VaultService, transport);
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    "Connect-Protocol-Version": "1",
  };
  const url = `${baseUrl}/platform.v1.VaultService/DeleteItem`;
  return [
    [
      "plain fetch",
      async () => {
        const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(request) });
        return await response.json();
      },
    ],
    ["stock Connect client (node:http)", () => stock.deleteItem(request, { headers })],
    ["@platform-rpc/client/json", () => json.vault.deleteItem(request)],
    ["@platform-rpc/client", () => connect.vault.deleteItem(request)],
  ];
}

/** Makes calls for `durationMs`, `concurrency` at a time. */
async function measure(call: () => Promise<unknown>): Promise<Measured> {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  let calls = 0;
  const keepCalling = async () => {
    while (performance.now() - startedAt < durationMs) {
      await call();
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, keepCalling));
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { callsPerSecond: calls / seconds, cpuMicros: (user + system) / calls };
}
