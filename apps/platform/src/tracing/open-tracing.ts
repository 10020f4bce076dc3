import type { Logger } from "@platform-rpc/server";
import type { Settings } from "../settings/settings.js";
import type { OpenTracing } from "./start-tracing.js";

/** Starts tracing if a receiver is set. Only then are the packages of OpenTelemetry loaded. */
export async function openTracing(settings: Settings, logger: Logger): Promise<OpenTracing> {
  const { tracesEndpoint: endpoint, tracesRatio: ratio, publicUrl, host, port } = settings;
  if (endpoint === undefined) return { tracing: undefined, stop: async () => {} };
  const { startTracing } = await import("./start-tracing.js");
  const url = new URL(publicUrl ?? `http://${host}:${port}`);
  const standardPort = url.protocol === "http:" ? 80 : 443;
  return startTracing({
    endpoint,
    ratio,
    logger,
    address: url.hostname,
    port: url.port === "" ? standardPort : Number(url.port),
    database: settings.databaseUrl === undefined ? "sqlite" : "postgresql",
  });
}
