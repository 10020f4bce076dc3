import type { ServerResponse } from "node:http";
import type { BrokerRequestEnd } from "@platform-rpc/credential-broker/credential-broker";
import { createHandlerListener, type HandlerListener } from "@platform-rpc/front";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** What a broker says of itself. */
export interface BrokerState {
  readonly isSignedIn: boolean;
  /** When the keys of the vaults go, in milliseconds since the epoch. Undefined while they are locked, or nobody is signed in. */
  readonly unlockedUntil: number | undefined;
  readonly connections: number;
}

export interface BrokerHealth {
  readonly listener: HandlerListener;
  readonly onRequestEnd: (end: BrokerRequestEnd) => void;
}

const signedOut =
  "Nobody is signed in where the broker runs. Run: platform login --scope vault.items:read vault.items:use";
const locked = "The vaults are locked, and every request is refused. Run where the broker runs: platform unlock";

/** Creates a listener with the documents `/healthz`, `/readyz` and `/metrics`, for whoever operates the broker. */
export function createBrokerHealth(state: () => Promise<BrokerState>): BrokerHealth {
  const register = new Registry();
  const named = (name: string, help: string) => ({ name: `platform_broker_${name}`, help, registers: [register] });
  const requests = new Counter({
    ...named("requests_total", "Requests that have ended, by reason. OK was answered by its upstream."),
    labelNames: ["reason"],
  });
  const durations = new Histogram({
    ...named("request_duration_seconds", "Time from the head of a request to the end of its answer."),
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  });
  const unlocked = new Gauge(named("unlocked_until_timestamp_seconds", "When the keys go. 0 while there are none."));
  const connections = new Gauge(named("connections", "Open connections of agents."));
  collectDefaultMetrics({ register });

  const documents: Readonly<Record<string, (response: ServerResponse) => Promise<ServerResponse>>> = {
    "/healthz": async (response) => json(response, 200, { status: "ok" }),
    async "/readyz"(response) {
      const { isSignedIn, unlockedUntil } = await state();
      if (unlockedUntil !== undefined) return json(response, 200, { status: "ok" });
      if (!isSignedIn) return json(response, 503, { status: "signed out", note: signedOut });
      return json(response, 503, { status: "locked", note: locked });
    },
    async "/metrics"(response) {
      const { unlockedUntil = 0, connections: open } = await state();
      unlocked.set(unlockedUntil / 1000);
      connections.set(open);
      return response.writeHead(200, { "Content-Type": register.contentType }).end(await register.metrics());
    },
  };
  return {
    listener: createHandlerListener({
      async handle({ url = "" }, response) {
        const [path = ""] = url.split("?");
        await (documents[path]?.(response) ?? json(response, 404, { status: "not found" }));
      },
    }),
    onRequestEnd({ reason, seconds }) {
      requests.inc({ reason });
      durations.observe(seconds);
    },
  };
}

function json(response: ServerResponse, status: number, body: object): ServerResponse {
  return response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
