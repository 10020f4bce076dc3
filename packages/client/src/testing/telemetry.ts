import { metrics, propagation, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { onTestFinished } from "vitest";

/** Switches the SDK of OpenTelemetry on until the test is over, and keeps what it would export. */
export function recordTelemetry() {
  const spanExporter = new InMemorySpanExporter();
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: metricExporter })],
  });
  const spanProcessors = [new SimpleSpanProcessor({ exporter: spanExporter })];
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }));
  metrics.setGlobalMeterProvider(meterProvider);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  onTestFinished(async () => {
    trace.disable();
    metrics.disable();
    propagation.disable();
    await meterProvider.shutdown();
  });
  return {
    /** In the order of their ends. */
    spans: () =>
      spanExporter.getFinishedSpans().map((span) => {
        const { name, kind, attributes, events, status, parentSpanContext } = span;
        const { traceId, spanId } = span.spanContext();
        return { name, kind, attributes, events, status, parent: parentSpanContext?.spanId, traceId, spanId };
      }),
    metrics: async () => {
      await meterProvider.forceFlush();
      return metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    },
  };
}
