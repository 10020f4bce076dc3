import {
  type Attributes,
  type Context,
  context,
  metrics,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { requireOptions } from "@platform-rpc/options";
import type { CallInfo, Hooks, Outcome } from "../options/hooks.js";

const scope = "@platform-rpc/client";

/** In seconds: the buckets that the semantic conventions recommend. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /** The client's `baseUrl`, for `server.address` and `server.port`. */
  readonly baseUrl?: string;
}

const isUrl = (value: unknown) =>
  value === undefined || (typeof value === "string" && URL.canParse(value)) || "must be the baseUrl of the client";

interface Traced {
  readonly span: Span;
  readonly within: Context;
  attempt: Span | undefined;
}

/**
 * Creates hooks that report to OpenTelemetry: a span for each call, with a child span for each attempt, and the histogram
 * `rpc.client.call.duration`, in seconds. The propagator adds the context of an attempt's span to the request headers. Attributes
 * contain names, codes, reasons and request ids, but no body, token or device code.
 *
 * @example
 * ```ts
 * import { createPlatformClient } from "@platform-rpc/client";
 * import { openTelemetry } from "@platform-rpc/client/otel";
 *
 * const client = createPlatformClient({ baseUrl, token, hooks: openTelemetry({ baseUrl }) });
 * const { item } = await client.vault.deleteItem({ vaultId, itemId, baseVersion: 3 });
 * console.log(item.version);
 * // 4
 * ```
 *
 * @see https://opentelemetry.io/docs/specs/semconv/rpc/connect-rpc/
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Hooks {
  const { baseUrl }: OpenTelemetryOptions = Object(options);
  // The options of a client may be passed as they are.
  requireOptions("openTelemetry", typeof options === "object" && options ? { baseUrl } : options, { baseUrl: isUrl });
  const server = serverOf(baseUrl);
  const attributesOf = (call: CallInfo): Attributes => ({
    "rpc.system.name": "connectrpc",
    "rpc.method": call.operation,
    ...server,
  });
  const tracer = trace.getTracer(scope);
  const duration = metrics.getMeter(scope).createHistogram("rpc.client.call.duration", {
    description: "Measures the duration of outbound remote procedure calls (RPC).",
    unit: "s",
    advice: { explicitBucketBoundaries: buckets },
  });
  const running = new WeakMap<CallInfo, Traced>();

  return {
    onStart(call) {
      const span = tracer.startSpan(call.operation, { kind: SpanKind.INTERNAL, attributes: attributesOf(call) });
      running.set(call, { span, within: trace.setSpan(context.active(), span), attempt: undefined });
    },
    onRequest(call, { attempt, headers }) {
      const traced = running.get(call);
      if (traced === undefined) return;
      const attributes = { ...attributesOf(call), ...(attempt > 1 && { "platform.rpc.attempt": attempt }) };
      traced.attempt = tracer.startSpan(call.operation, { kind: SpanKind.CLIENT, attributes }, traced.within);
      propagation.inject(trace.setSpan(traced.within, traced.attempt), headers, {
        set: (carrier, name, value) => carrier.set(name, value),
      });
    },
    onResponse(call, outcome) {
      const traced = running.get(call);
      if (traced?.attempt === undefined) return;
      end(traced.attempt, call, outcome);
      traced.attempt = undefined;
    },
    onRetry(call, { delayMs, error }) {
      running
        .get(call)
        ?.span.addEvent("retry", { "error.type": error.reason ?? error.code, "platform.retry.delay_ms": delayMs });
    },
    onEnd(call, outcome) {
      const traced = running.get(call);
      if (traced === undefined) return;
      running.delete(call);
      end(traced.span, call, outcome);
      const attributes = { ...attributesOf(call), ...failureOf(outcome) };
      duration.record(outcome.durationMs / 1000, attributes, traced.within);
    },
  };
}

function serverOf(baseUrl: string | undefined): Attributes {
  if (baseUrl === undefined) return {};
  const { hostname, port, protocol } = new URL(baseUrl);
  const standard = protocol === "http:" ? 80 : 443;
  return { "server.address": hostname, "server.port": port === "" ? standard : Number(port) };
}

/** Returns the attributes of an error. The semantic conventions set a status code only for an error. */
function failureOf({ error }: Outcome): Attributes {
  return error === undefined
    ? {}
    : { "rpc.response.status_code": error.code, "error.type": error.reason ?? error.code };
}

function end(span: Span, call: CallInfo, outcome: Outcome): void {
  span.setAttributes({ ...failureOf(outcome), "platform.request_id": call.requestId });
  if (outcome.error !== undefined)
    span.setStatus({ code: SpanStatusCode.ERROR, message: outcome.error.reason ?? outcome.error.code });
  span.end();
}
