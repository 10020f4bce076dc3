import { ExportResultCode } from "@opentelemetry/core";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { Logger } from "@platform-rpc/server";

/** The minimum time between two log lines, in milliseconds. */
const everyMs = 60_000;

/** Returns an exporter that logs failures, at most once a minute. The message of the error is omitted: it may contain a URL or a header. */
export function withExportAlarm(exporter: SpanExporter, logger: Logger): SpanExporter {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const now = performance.now();
        if (result.code === ExportResultCode.FAILED && now - loggedAt >= everyMs) {
          loggedAt = now;
          logger.error({ error: result.error?.name, spans: spans.length }, "traces could not be sent");
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
