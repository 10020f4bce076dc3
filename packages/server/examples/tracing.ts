import { createListener, createSqliteStorage, type ListenerOptions, type Platform } from "@platform-rpc/server";
import { openTelemetry } from "@platform-rpc/server/otel";

const tracing = openTelemetry({ address: "api.example", port: 443 });
export const storage = createSqliteStorage({ path: "platform.sqlite", tracing });

export function createTracedListener(platform: Platform, logger: ListenerOptions["logger"]) {
  return createListener(platform, { logger, tracing });
}
