import {
  type Attributes,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { isText, may, requireOptions } from "@platform-rpc/options";
import type { TraceContext, TracedResult, Tracing } from "../ports/tracing.js";

const scope = "@platform-rpc/server";

/** The codes for which the server is responsible. Errors with other codes leave the status of the span unset. */
const serverErrors = new Set(["unknown", "deadline_exceeded", "unimplemented", "internal", "unavailable", "data_loss"]);

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /** The host name or address of the listener, for `server.address`. */
  readonly address?: string;
  /** The port of the listener, for `server.port`. */
  readonly port?: number;
  /** The database of the storage, for `db.system.name`. Default: `sqlite`. */
  readonly database?: "sqlite" | "postgresql";
}

/**
 * Creates the tracing of a server with OpenTelemetry. Each admitted call has a span, whose parent is the span in its `traceparent`
 * header. Each batch of the storage has a span that is a child of its first recorded call, with links to all of them. Spans that an implementation creates are
 * children of the call's span. Attributes contain names, codes, reasons and request ids, but no body, token or device code.
 *
 * Register a tracer provider, a propagator and a context manager with `@opentelemetry/api` first. Without them, nothing is recorded.
 *
 * @example
 * ```ts
 * import { createListener, createSqliteStorage } from "@platform-rpc/server";
 * import { openTelemetry } from "@platform-rpc/server/otel";
 *
 * const tracing = openTelemetry({ address: "api.example", port: 443 });
 * const storage = createSqliteStorage({ path: ":memory:", tracing });
 * const listener = createListener(platform, { logger, tracing });
 * console.log(listener.draining);
 * // false
 * await storage.close();
 * ```
 *
 * @throws TypeError that names each invalid option and what is expected.
 * @see https://opentelemetry.io/docs/specs/semconv/rpc/connect-rpc/
 * @see https://opentelemetry.io/docs/specs/semconv/db/database-spans/
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Tracing {
  requireOptions("openTelemetry", options, {
    address: may("be the host name or address of the listener", isText),
    port: may("be the port of the listener, as a number", Number.isInteger),
    database: may("be sqlite or postgresql", (value) => value === "sqlite" || value === "postgresql"),
  });
  const { address, port, database = "sqlite" } = options;
  const tracer = trace.getTracer(scope);
  const server: Attributes = {
    ...(address !== undefined && { "server.address": address }),
    ...(port !== undefined && { "server.port": port }),
  };

  return {
    begin({ operation, requestId, startedAt, traceparent, tracestate }) {
      const headers = { traceparent, tracestate };
      const parent = traceparent === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, headers);
      const attributes: Attributes = {
        "rpc.system.name": "connectrpc",
        "rpc.method": operation,
        ...server,
        "platform.request_id": requestId,
      };
      const span = tracer.startSpan(operation, { kind: SpanKind.SERVER, attributes, startTime: startedAt }, parent);
      const own = trace.setSpan(parent, span);
      return {
        context: span.spanContext(),
        run: (work) => context.with(own, work),
        end: (result) => end(span, result),
      };
    },

    current: () => trace.getActiveSpan()?.spanContext(),

    beginBatch(calls, callers) {
      // The parent only decides that the span is recorded: a batch belongs to all of its calls.
      const parent = callers.find(isRecorded);
      if (parent === undefined) return () => {};
      const span = tracer.startSpan(
        "BATCH",
        {
          kind: SpanKind.CLIENT,
          attributes: {
            "db.system.name": database,
            "db.operation.name": "BATCH",
            // The conventions define no size for a batch of one.
            ...(calls > 1 && { "db.operation.batch.size": calls }),
          },
          links: callers.filter(isRecorded).map((caller) => ({ context: caller })),
        },
        trace.setSpanContext(ROOT_CONTEXT, parent),
      );
      return () => span.end();
    },
  };
}

function isRecorded({ traceFlags }: TraceContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

function end(span: Span, { code, reason }: TracedResult): void {
  if (reason !== undefined) span.setAttributes({ "rpc.response.status_code": code, "platform.error.reason": reason });
  if (reason !== undefined && serverErrors.has(code)) {
    span.setAttribute("error.type", reason);
    span.setStatus({ code: SpanStatusCode.ERROR, message: reason });
  }
  span.end(performance.now());
}
