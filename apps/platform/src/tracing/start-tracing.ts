import { setTimeout } from "node:timers/promises";
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { ExportResultCode, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "@platform-rpc/server";
import type { Tracing } from "@platform-rpc/server/host";
import { openTelemetry } from "@platform-rpc/server/otel";
import manifest from "@platform-rpc/server/package.json" with { type: "json" };

export interface OpenTracing {
  /** Undefined: calls are not traced. */
  readonly tracing: Tracing | undefined;
  /** Sends the spans that are left. Waits for at most 5 s. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  readonly endpoint: string;
  /** The part of the traces without a caller's decision that is recorded. */
  readonly ratio: number;
  readonly logger: Logger;
  /** The host and the port of the public listener, as callers see them. */
  readonly address: string;
  readonly port: number;
  readonly database: "sqlite" | "postgresql";
}

/** The longest time to send spans, in milliseconds. */
const sendMs = 5_000;
/** The links of a span: at least as many as calls in a batch of the storage. */
const linkCountLimit = 1024;

/**
 * Starts the SDK of OpenTelemetry, which sends spans to the receiver in batches, every 5 s. If the receiver does not keep
 * up, spans are lost, but calls are never delayed. The exporter reads OTEL_EXPORTER_OTLP_HEADERS from the environment, and the resource
 * is described by OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
 */
export function startTracing({ endpoint, ratio, logger, ...server }: TracingOptions): OpenTracing {
  const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
  const exporter = withExportAlarm(new OTLPTraceExporter({ url, timeoutMillis: sendMs }), logger);
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "platform", "service.version": manifest.version }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: 8192 })],
    spanLimits: { linkCountLimit },
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return {
    tracing: openTelemetry(server),
    async stop() {
      // If the spans cannot be sent, the exporter has logged it.
      const sent = provider.shutdown().catch(() => {});
      await Promise.race([sent, setTimeout(sendMs, undefined, { ref: false })]);
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}

/** The minimum time between two log lines, in milliseconds. */
const everyMs = 60_000;

/** Returns an exporter that logs failures, at most once a minute. The message of the error is omitted: it may contain a URL or a header. */
function withExportAlarm(exporter: SpanExporter, logger: Logger): SpanExporter {
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
